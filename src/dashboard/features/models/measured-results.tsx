import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useOperation } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { duration, Money } from '../../ui/text/amounts.tsx';
import styles from './models.module.css';

/** The verified results of each agent by role and model. */
export function Scores({ dir }: { dir: string }): ReactElement {
  const { data, error, isLoading, reload } = useOperation('score-models', { dir }, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0)
    return <EmptyState title="No verified results yet">Each task with a checked result adds one.</EmptyState>;
  const tally = ({ good, bad }: { good: number; bad: number }) => (good + bad === 0 ? '–' : `${good} of ${good + bad}`);
  return (
    <Panel title="Verified results" flush>
      <Table
        label="Verified results"
        rows={data}
        keyOf={({ role, agent, model }) => `${role} ${agent} ${model}`}
        columns={[
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">unknown</span> },
          {
            title: 'Score',
            isNumber: true,
            cell: ({ score, counts }) => <span className={counts ? undefined : 'quiet'}>{score.toFixed(2)}</span>,
          },
          { title: 'This project', isNumber: true, cell: ({ here }) => tally(here) },
          { title: 'Other projects', isNumber: true, cell: ({ elsewhere }) => tally(elsewhere) },
          { title: 'Benchmarks', isNumber: true, cell: ({ bench }) => tally(bench) },
          { title: 'Cost', isNumber: true, cell: ({ cost }) => <Money usd={cost} /> },
          { title: 'Reason', cell: ({ because }) => <span className={styles.wide}>{because}</span> },
        ]}
      />
    </Panel>
  );
}

const DISPLAY_STATES = { pass: 'done', fail: 'failed', error: 'unverified' } as const;

/** Benchmark results, newest first. */
export function Benches(): ReactElement {
  const { data, error, isLoading, reload } = useOperation('list-benches', {}, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0)
    return <EmptyState title="No benchmarks yet">mh models bench measures your agents on small tasks.</EmptyState>;
  return (
    <Panel title="Benchmarks" flush>
      <Table
        label="Benchmarks"
        rows={data.toReversed()}
        keyOf={({ run, agent, kind }) => `${run} ${agent} ${kind}`}
        columns={[
          { title: 'Verdict', cell: ({ verdict }) => <StateMark displayState={DISPLAY_STATES[verdict]} bare /> },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">agent's default</span> },
          { title: 'Kind', cell: ({ kind, run }) => <Link href={runPath(run)}>{kind}</Link> },
          { title: 'Cost', isNumber: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
          { title: 'Time', isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
          { title: 'Reason', cell: ({ reason }) => <span className={styles.wide}>{reason}</span> },
        ]}
      />
    </Panel>
  );
}
