import { type ReactElement, useId } from 'react';
import { useSearchParams } from 'wouter';
import { withLocalTimes } from '../../../core/view/amounts.ts';
import { useOperation } from '../../api/use-operation.ts';
import choice from '../../ui/controls/controls.module.css';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Time } from '../../ui/text/amounts.tsx';
import styles from './models.module.css';

/** The agent that each role would get now, and the candidates for one role. */
export function Routes({ dir }: { dir: string }): ReactElement {
  const id = useId();
  const [params, setParams] = useSearchParams();
  const { data, error, isLoading, reload } = useOperation('plan-routes', { dir }, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0) return <EmptyState title="No roles" />;
  const role = params.get('role') ?? data[0]?.role ?? '';
  const choose = (next: string) => {
    const all = new URLSearchParams(params);
    all.set('role', next);
    setParams(all, { replace: true });
  };
  return (
    <>
      <Panel title="Agent for each role" flush>
        <Table
          label="Roles"
          rows={data}
          keyOf={(row) => row.role}
          columns={[
            {
              title: 'Role',
              cell: (row) => (
                <button
                  type="button"
                  className={styles.link}
                  aria-pressed={row.role === role}
                  onClick={() => choose(row.role)}
                >
                  {row.role}
                </button>
              ),
            },
            { title: 'Agent', cell: (row) => row.agent ?? <span className="quiet">none</span> },
            { title: 'Model', cell: (row) => row.model ?? <span className="quiet">agent's default</span> },
            { title: 'Login', cell: (row) => row.account ?? <span className="quiet">–</span> },
            { title: 'Reason', cell: (row) => <span className={styles.wide}>{withLocalTimes(row.because)}</span> },
            { title: 'Fallbacks', cell: (row) => row.order.slice(1).join(', ') },
          ]}
        />
      </Panel>
      <Panel
        title="Candidates"
        flush
        actions={
          <span className={choice.choice}>
            <label htmlFor={id} className="quiet">
              Role
            </label>
            <select id={id} className={choice.select} value={role} onChange={(event) => choose(event.target.value)}>
              {data.map((row) => (
                <option key={row.role} value={row.role}>
                  {row.role}
                </option>
              ))}
            </select>
          </span>
        }
      >
        <RouteCandidates dir={dir} role={role} />
      </Panel>
    </>
  );
}

/** The candidates for a role, with the reason for each. */
function RouteCandidates({ dir, role }: { dir: string; role: string }): ReactElement {
  const { data, error, isLoading, reload } = useOperation('pick-model', { dir, role }, { fresh: true });
  if (isLoading) return <Skeleton lines={4} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined) return <Skeleton lines={4} />;
  return (
    <>
      <p className={styles.because}>
        <strong>{data.agent ?? 'No agent'}</strong>
        {data.model === null ? '' : ` with ${data.model}`}: {withLocalTimes(data.because)}
      </p>
      <Table
        label={`Candidates for ${role}`}
        rows={data.candidates}
        keyOf={({ agent }) => agent}
        columns={[
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Status', cell: ({ ok }) => <StateMark displayState={ok ? 'done' : 'failed'} bare /> },
          { title: 'Score', isNumber: true, cell: ({ score }) => score.toFixed(2) },
          { title: 'Results', isNumber: true, cell: ({ results }) => results },
          {
            title: 'Rate-limited until',
            cell: ({ restsUntil }) => (restsUntil === null ? '–' : <Time at={restsUntil} />),
          },
          {
            title: 'Reason',
            cell: ({ because, detail }) => (
              <span className={styles.wide}>
                {because} <span className="quiet">{detail}</span>
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
