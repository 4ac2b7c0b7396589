import { type ReactElement, useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/text/amounts.tsx';

const SCOPES = [
  { value: 'run', title: 'Latest run' },
  { value: 'project', title: 'This project' },
  { value: 'everywhere', title: 'All projects' },
] as const;

/** The notes that agents wrote for each other, with their authors. */
export function NotesView({ dir }: { dir: string }): ReactElement {
  const [scope, setScope] = useState<(typeof SCOPES)[number]['value']>('project');
  const notes = useOperation('show-notes', { dir, scope }, { fresh: true });
  return (
    <Panel
      title="Notes"
      actions={<Tabs label="Scope" options={SCOPES} value={scope} onChoose={(next) => setScope(next)} />}
    >
      <div className={styles.list}>
        {notes.isLoading ? <Skeleton lines={6} /> : null}
        {notes.error === undefined ? null : <ErrorMessage error={notes.error} retry={notes.reload} />}
        {notes.data?.length === 0 ? (
          <EmptyState title="No notes">Agents write them with the tool write_note.</EmptyState>
        ) : null}
        {notes.data?.map(({ key, text, author, at, version, isWhole }) => (
          <article key={version} className={styles.card} aria-label={key}>
            <strong>{key}</strong>
            <p>
              {text}
              {isWhole ? '' : '…'}
            </p>
            <span className="quiet">
              {author} · <Time at={at} />
            </span>
          </article>
        ))}
      </div>
    </Panel>
  );
}
