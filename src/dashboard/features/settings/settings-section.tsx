import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/controls/button.tsx';
import { withChanges } from '../../ui/form/changes.ts';
import type { Entry } from '../../ui/form/field.ts';
import { FormField } from '../../ui/form/form-field.tsx';
import type { ValidationIssues } from '../../ui/form/validate.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { type Origin, originAt, pathOf, type Section, valueAt } from './setting-paths.ts';
import styles from './settings.module.css';
import type { SettingsDocument } from './use-settings.ts';

type SectionPanelProps = {
  section: Section;
  document: SettingsDocument;
  values: Record<string, unknown>;
  issues: ValidationIssues;
  onChange(values: Record<string, unknown>): void;
};

const FROM: Record<Origin, string> = {
  default: 'default',
  user: 'set for all my projects',
  project: 'set in this project',
};

/** One section of the settings: each with its value, origin, and a button to remove it. */
export function SectionPanel({ section, document, values, issues, onChange }: SectionPanelProps): ReactElement {
  const field = (entry: Entry) => {
    const path = pathOf(section, entry);
    const value = valueAt(values, path);
    const isSaved = valueAt(document.values, path) !== undefined;
    const origin = originAt(document.origins, path);
    const set = (next: unknown) => onChange(withChanges(values, [{ path, value: next }]));
    return (
      <FormField
        key={entry.key}
        entry={entry}
        value={value}
        fallback={isSaved ? entry.fallback : valueAt(document.effective, path)}
        path={path.join('.')}
        issues={issues}
        aside={
          <span className={styles.origin}>
            <code>{path.join('.')}</code>
            <span data-origin={origin}>{FROM[origin]}</span>
            {value === undefined ? null : (
              <Button weight="quiet" onClick={() => set(undefined)}>
                Remove
              </Button>
            )}
          </span>
        }
        onChange={set}
      />
    );
  };
  return (
    <div id={`setting-${section.key}`}>
      <Panel title={section.title}>
        <div className={styles.fields}>
          {section.about === '' ? null : <p className="quiet">{section.about}</p>}
          {section.entries.some((entry) => pathOf(section, entry).join('.') === 'agents') ? (
            <p>
              <Link href="/models" className={styles.link}>
                Which agents work, and what the others need
              </Link>
            </p>
          ) : null}
          {section.entries.map(field)}
        </div>
      </Panel>
    </div>
  );
}
