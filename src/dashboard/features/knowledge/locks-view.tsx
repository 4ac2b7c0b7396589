import { type FormEvent, type ReactElement, useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Time } from '../../ui/text/amounts.tsx';

/** The locks of a project: who holds them and who waits, to take with a time and to release. */
export function LocksView({ dir }: { dir: string }): ReactElement {
  const locks = useOperation('list-locks', { dir }, { fresh: true });
  const releasing = useAction('release-locks', { done: 'Released', changes: ['list-locks'] });
  const { held = [], queue = [] } = locks.data ?? {};
  return (
    <div className={styles.list}>
      <Panel title="Held" actions={<Button onClick={locks.reload}>Refresh</Button>}>
        {locks.isLoading ? <Skeleton lines={4} /> : null}
        {locks.error === undefined ? null : <ErrorMessage error={locks.error} retry={locks.reload} />}
        {locks.data !== undefined && held.length === 0 ? (
          <EmptyState title="No lock is held">Agents lock files before they change them.</EmptyState>
        ) : null}
        {held.length === 0 ? null : (
          <Table
            label="Held locks"
            rows={held}
            keyOf={({ path, by }) => `${path} ${by}`}
            columns={[
              { title: 'Path', cell: ({ path }) => path },
              { title: 'Held by', cell: ({ by }) => by },
              { title: 'Reason', cell: ({ reason }) => reason },
              { title: 'Since', cell: ({ since }) => <Time at={since} /> },
              {
                title: 'Until',
                cell: ({ expires }) => (expires === null ? 'the end of its attempt' : <Time at={expires} />),
              },
              {
                title: 'Actions',
                cell: ({ path, by }) => (
                  <ConfirmButton
                    question={`Release the lock of ${by}? Others may then change ${path}.`}
                    yes="Release"
                    busy={releasing.isBusy}
                    onConfirm={() => releasing.act({ dir, paths: [path] })}
                  >
                    Release
                  </ConfirmButton>
                ),
              },
            ]}
          />
        )}
      </Panel>
      {queue.length === 0 ? null : (
        <Panel title="Waiting">
          <Table
            label="Waiting requests"
            rows={queue}
            keyOf={({ by, paths }) => `${by} ${paths.join(' ')}`}
            columns={[
              { title: 'Who', cell: ({ by }) => by },
              { title: 'Paths', cell: ({ paths }) => paths.join(', ') },
              { title: 'Reason', cell: ({ reason }) => reason },
            ]}
          />
        </Panel>
      )}
      <TakeForm dir={dir} />
    </div>
  );
}

function TakeForm({ dir }: { dir: string }): ReactElement {
  const [path, setPath] = useState('');
  const [minutes, setMinutes] = useState(60);
  const [reason, setReason] = useState('');
  const taking = useAction('take-locks', { done: 'Locked', onDone: () => setPath(''), changes: ['list-locks'] });
  const take = (event: FormEvent) => {
    event.preventDefault();
    taking.act({ dir, paths: [path], seconds: Math.round(minutes * 60), reason });
  };
  return (
    <Panel title="Take a lock">
      <form className={styles.form} onSubmit={take} aria-label="Take a lock">
        <label>
          File or folder of the project
          <input value={path} required onChange={(event) => setPath(event.target.value)} />
        </label>
        <label>
          Minutes
          <input
            type="number"
            min={1}
            max={10_080}
            value={minutes}
            onChange={(event) => setMinutes(Number(event.target.value))}
          />
        </label>
        <label>
          Reason
          <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </label>
        <span>
          <Button type="submit" weight="main" busy={taking.isBusy}>
            Lock
          </Button>
        </span>
      </form>
    </Panel>
  );
}
