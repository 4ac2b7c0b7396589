import { type ReactElement, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { Button } from '../../ui/controls/button.tsx';
import choice from '../../ui/controls/controls.module.css';
import { EmptyState, ErrorMessage } from '../../ui/feedback/placeholders.tsx';
import { entriesOf } from '../../ui/form/field.ts';
import { isSchema } from '../../ui/form/json-schema.ts';
import { count } from '../../ui/text/amounts.tsx';
import { findSettings, mainSettings, sectionsOf } from './setting-paths.ts';
import styles from './settings.module.css';
import { SectionPanel } from './settings-section.tsx';
import type { SettingsDocument, SettingsEdit } from './use-settings.ts';

/** All settings as a form; only changes are written, and the file keeps its comments. */
export function SettingsForm({ edit, document }: { edit: SettingsEdit; document: SettingsDocument }): ReactElement {
  const [text, setText] = useState('');
  const all = sectionsOf(entriesOf(document.schema));
  const [isAll, setAll] = useState(false);
  const isFinding = text.trim() !== '';
  const sections = isFinding ? findSettings(all, text) : isAll ? all : mainSettings(all);
  const issues = issuesIn(edit.error);
  return (
    <div className={styles.columns}>
      <nav className={styles.sections} aria-label="Sections">
        <input
          type="search"
          className={choice.input}
          placeholder="Find a setting"
          aria-label="Find a setting"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <ul>
          {sections.map(({ key, title }) => (
            <li key={key}>
              <a href={`#setting-${key}`}>{title}</a>
            </li>
          ))}
        </ul>
        {isFinding ? null : (
          <Button weight="quiet" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show the main settings' : 'Show all settings'}
          </Button>
        )}
      </nav>
      <div className={styles.fields}>
        {sections.length === 0 ? <EmptyState title="No matching settings" /> : null}
        {sections.map((section) => (
          <SectionPanel
            key={section.key}
            section={section}
            document={document}
            values={edit.values}
            issues={issues}
            onChange={edit.change}
          />
        ))}
        {edit.changes.length === 0 ? null : <SaveBar edit={edit} />}
      </div>
    </div>
  );
}

function SaveBar({ edit }: { edit: SettingsEdit }): ReactElement {
  return (
    <section className={styles.bar} aria-label="Changes">
      {edit.error === undefined ? null : <ErrorMessage error={edit.error} />}
      <p>
        <strong>{count(edit.changes.length, 'change')}</strong>{' '}
        <span className="quiet">{edit.changes.map(({ path }) => path.join('.')).join(', ')}</span>
      </p>
      <div className={styles.buttons}>
        {edit.isConflict ? (
          <Button weight="main" onClick={edit.reload}>
            Reload the file, keep my changes
          </Button>
        ) : (
          <Button weight="main" busy={edit.isBusy} onClick={edit.save}>
            Save
          </Button>
        )}
        <Button onClick={edit.discard}>Discard</Button>
      </div>
    </section>
  );
}

/** The issues of an error response, by the key of the setting. */
function issuesIn(error: unknown): Map<string, string> {
  const listed = error instanceof ApiError ? error.details.mistakes : undefined;
  const entries = (Array.isArray(listed) ? listed : []).flatMap((each: unknown): [string, string][] =>
    isSchema(each) && typeof each.key === 'string' && typeof each.reason === 'string' ? [[each.key, each.reason]] : [],
  );
  return new Map(entries);
}
