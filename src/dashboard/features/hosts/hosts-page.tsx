import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { OperationOutput } from '../../../operations/all.ts';
import { MAY_ACT } from '../../api/role.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Time } from '../../ui/text/amounts.tsx';

type Host = OperationOutput<'list-hosts'>[number];

/** A host that is lost, or another leader, is seen within this time. */
const LIVE = { fresh: true, refreshMs: 10_000 };

const DISPLAY_STATES = { up: 'done', draining: 'waiting', lost: 'failed', incompatible: 'failed' } as const;

/** The machines that perform attempts: load, versions, what runs where, and which server leads. */
export function HostsPage(): ReactElement {
  const { data, error, isLoading, reload } = useOperation('list-hosts', {}, LIVE);
  return (
    <PageFrame title="Hosts" about="Machines that perform attempts, and the server that leads.">
      <Leader />
      {isLoading ? <Skeleton lines={6} /> : null}
      {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
      {data?.length === 0 ? (
        <EmptyState title="No hosts">
          Attempts run on the machine of the server. With PostgreSQL, mh host adds other machines.
        </EmptyState>
      ) : null}
      {data === undefined || data.length === 0 ? null : <HostTable hosts={data} />}
    </PageFrame>
  );
}

function Leader(): ReactElement | null {
  const { data } = useOperation('show-leader', {}, LIVE);
  if (data === undefined || data.database === null) return null;
  const { leader } = data;
  return (
    <p role="status">
      {leader === null ? 'No server leads now.' : <b>{leader.holder}</b>}
      {leader === null ? null : leader.alive ? ' leads since ' : ' led until its lease ended; it began '}
      {leader === null ? null : <Time at={leader.since} />}
      <span className="quiet"> Database {data.database}</span>
    </p>
  );
}

function HostTable({ hosts }: { hosts: readonly Host[] }): ReactElement {
  return (
    <Panel title="Hosts" flush>
      <Table
        label="Hosts"
        rows={hosts}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Host', cell: ({ name }) => name },
          {
            title: 'Status',
            cell: ({ status }) => <StateMark displayState={DISPLAY_STATES[status]} label={status} />,
          },
          { title: 'Load', isNumber: true, cell: ({ busy, slots }) => `${busy} of ${slots}` },
          { title: 'Runs here', cell: ({ attempts }) => <Attempts attempts={attempts} /> },
          { title: 'Agents', cell: ({ agents }) => agents.join(', ') },
          { title: 'Labels', cell: ({ labels }) => labels.join(', ') },
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Machine', cell: ({ machine }) => machine },
          ...(MAY_ACT ? [{ title: 'Actions', cell: (host: Host) => <HostActions host={host} /> }] : []),
        ]}
      />
    </Panel>
  );
}

/** An attempt begins with the id of its run. */
function Attempts({ attempts }: { attempts: readonly string[] }): ReactElement {
  return (
    <>
      {attempts.map((attempt) => (
        <span key={attempt}>
          <Link href={runPath(attempt.split('-', 1)[0] ?? attempt)}>{attempt}</Link>{' '}
        </span>
      ))}
    </>
  );
}

function HostActions({ host: { name, status } }: { host: Host }): ReactElement {
  const drain = useAction('drain-host', { done: `Changed ${name}`, changes: ['list-hosts'] });
  const remove = useAction('remove-host', { done: `Removed ${name}`, changes: ['list-hosts'] });
  if (status === 'lost')
    return (
      <ConfirmButton
        question={`Remove ${name}? Its login ends too.`}
        yes="Remove"
        busy={remove.isBusy}
        onConfirm={() => remove.act({ name })}
      >
        Remove
      </ConfirmButton>
    );
  if (status === 'draining')
    return (
      <Button busy={drain.isBusy} onClick={() => drain.act({ name, undo: true })}>
        Accept work again
      </Button>
    );
  return (
    <ConfirmButton
      question={`Drain ${name}? It finishes its work and gets nothing new.`}
      yes="Drain"
      busy={drain.isBusy}
      onConfirm={() => drain.act({ name })}
    >
      Drain
    </ConfirmButton>
  );
}
