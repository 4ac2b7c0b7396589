import { type ReactElement, useId } from 'react';
import { useSearchParams } from 'wouter';
import { useOperation } from '../../api/use-operation.ts';
import choice from '../../ui/choice.module.css';
import { Panel } from '../../ui/panel.tsx';
import { Empty, Skeleton, Trouble } from '../../ui/standing.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './models.module.css';
import { Pick } from './pick.tsx';

/** Who each role would get now, and for one role the whole reasoning. */
export function Routes({ dir }: { dir: string }): ReactElement {
  const id = useId();
  const [params, setParams] = useSearchParams();
  const { data, error, isLoading, again } = useOperation('plan-routes', { dir }, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <Trouble error={error} again={again} />;
  if (data === undefined || data.length === 0) return <Empty title="There is no role to fill" />;
  const role = params.get('role') ?? data[0]?.role ?? '';
  const choose = (next: string) => {
    const all = new URLSearchParams(params);
    all.set('role', next);
    setParams(all, { replace: true });
  };
  return (
    <>
      <Panel title="Who each role would get now" flush>
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
            { title: 'Agent', cell: (row) => row.agent ?? <span className="quiet">nobody</span> },
            { title: 'Model', cell: (row) => row.model ?? <span className="quiet">its own choice</span> },
            { title: 'Login', cell: (row) => row.account ?? <span className="quiet">–</span> },
            { title: 'Why', cell: (row) => <span className={styles.wide}>{row.because}</span> },
            { title: 'Then', cell: (row) => row.order.slice(1).join(', ') },
          ]}
        />
      </Panel>
      <Panel
        title="Why"
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
        <Pick dir={dir} role={role} />
      </Panel>
    </>
  );
}
