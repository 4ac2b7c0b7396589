import { type ReactElement, useState } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import styles from './settings.module.css';

/** The paths that the server uses, and the status of its requirements. */
export function ServerPanel({ dir }: { dir: string }): ReactElement {
  const where = useOperation('where', { dir }, { fresh: true });
  const doctor = useOperation('doctor', { dir }, { fresh: true });
  return (
    <>
      <NotifyPanel />
      <Panel title="Paths" flush>
        {where.isLoading ? <Skeleton lines={6} /> : null}
        {where.error === undefined ? null : <ErrorMessage error={where.error} retry={where.reload} />}
        {where.data === undefined ? null : (
          <Table
            label="Paths"
            rows={where.data}
            keyOf={({ what, path }) => `${what} ${path}`}
            columns={[
              { title: 'What', cell: ({ what }) => what },
              {
                title: 'Path',
                cell: ({ path }) => (
                  <span className={styles.path}>
                    <Copyable text={path} />
                  </span>
                ),
              },
              { title: 'Exists', cell: ({ exists }) => (exists ? 'yes' : <span className="quiet">not yet</span>) },
            ]}
          />
        )}
      </Panel>
      <Panel title="Requirements" flush>
        {doctor.isLoading ? <Skeleton lines={6} /> : null}
        {doctor.error === undefined ? null : <ErrorMessage error={doctor.error} retry={doctor.reload} />}
        {doctor.data === undefined ? null : (
          <Table
            label="Requirements"
            rows={doctor.data}
            keyOf={({ name, detail }) => `${name} ${detail}`}
            columns={[
              {
                title: 'Status',
                cell: ({ ok, required }) => (
                  <StateMark displayState={ok ? 'done' : required ? 'failed' : 'unverified'} bare />
                ),
              },
              { title: 'What', cell: ({ name }) => name },
              { title: 'Detail', cell: ({ detail }) => detail },
              { title: 'Fix', cell: ({ fix }) => fix ?? '' },
            ]}
          />
        )}
      </Panel>
    </>
  );
}

/** Sends a test message to the receivers of the user's own settings. */
function NotifyPanel(): ReactElement {
  const [results, setResults] = useState<OperationOutput<'test-notify'>>();
  const test = useAction('test-notify', { onDone: setResults });
  return (
    <Panel title="Notifications">
      <p className={styles.notice}>
        While it runs, this server sends what needs you to the receivers under <code>notify</code> in All my projects:
        ntfy, Slack, Discord or a webhook.
      </p>
      <p className={styles.notice}>
        <Button busy={test.isBusy} onClick={() => test.act({})}>
          Send a test message
        </Button>
      </p>
      <ul role="status">
        {results?.length === 0 ? <li>No receiver is configured.</li> : null}
        {results?.map(({ kind, host, ok, detail }) => (
          <li key={`${kind} ${host}`}>
            <StateMark displayState={ok ? 'done' : 'failed'} bare /> {kind} {detail ?? host}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
