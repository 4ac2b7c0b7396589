import type { ReactElement } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';

/** The paths that the server uses, and the status of its requirements. */
export function ServerPanel({ dir }: { dir: string }): ReactElement {
  const where = useOperation('where', { dir }, { fresh: true });
  const doctor = useOperation('doctor', { dir }, { fresh: true });
  return (
    <>
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
              { title: 'Path', cell: ({ path }) => <Copyable text={path} /> },
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
