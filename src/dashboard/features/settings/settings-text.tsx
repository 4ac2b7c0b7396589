import type { ReactElement } from 'react';
import type { OperationInput } from '../../../operations/all.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { useKeptDraft } from '../../ui/browser/kept-draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './settings.module.css';
import { draftKey } from './use-settings.ts';

type SettingsTextProps = { target: OperationInput<'show-settings-text'>; onSaved(): void };

/** The text of a settings file, to be edited as a whole; the way to repair one that is broken. */
export function SettingsText({ target, onSaved }: SettingsTextProps): ReactElement {
  const { data, error, reload } = useOperation('show-settings-text', target, { fresh: true });
  const [draft, setDraft] = useKeptDraft<string>(draftKey('settings text', target));
  const save = useAction('replace-settings-text', {
    done: 'Saved',
    changes: ['show-settings-text', 'read-settings'],
    onDone: () => {
      setDraft(undefined);
      onSaved();
    },
  });
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined) return <Skeleton lines={10} />;
  const { text, hash, mistake } = data;
  return (
    <Panel title={mistake === null ? 'File content' : 'This file cannot be used'}>
      <div className={styles.fields}>
        {mistake === null ? null : <ErrorMessage error={mistake} />}
        {save.error === undefined ? null : <ErrorMessage error={save.error} />}
        <textarea
          className={styles.editor}
          aria-label="File content"
          spellCheck={false}
          rows={Math.min(30, Math.max(8, text.split('\n').length + 1))}
          value={draft ?? text}
          onChange={({ target: field }) => setDraft(field.value)}
        />
        <p className="quiet">
          Values under env and headers, and other secrets, are [hidden]; a line with one keeps its value as long as you
          do not change it. The text is checked before it is saved.
        </p>
        <div className={styles.buttons}>
          <Button
            weight="main"
            busy={save.isBusy}
            disabled={draft === undefined || draft === text}
            onClick={() => save.act({ ...target, text: draft ?? text, hash })}
          >
            Save file
          </Button>
          <Button disabled={draft === undefined} onClick={() => setDraft(undefined)}>
            Discard
          </Button>
          <Button onClick={reload}>Read again</Button>
        </div>
      </div>
    </Panel>
  );
}
