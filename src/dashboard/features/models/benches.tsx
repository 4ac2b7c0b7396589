import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useOperation } from '../../api/use-operation.ts';
import { duration, Money } from '../../ui/amounts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { runPath } from '../../ui/paths.ts';
import { Empty, Skeleton, Trouble } from '../../ui/standing.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './models.module.css';

const LOOKS = { pass: 'done', fail: 'failed', error: 'unverified' } as const;

/** What benchmarks came to, the newest first. */
export function Benches(): ReactElement {
  const { data, error, isLoading, again } = useOperation('list-benches', {}, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <Trouble error={error} again={again} />;
  if (data === undefined || data.length === 0)
    return (
      <Empty title="No benchmark was carried out">mh models bench measures your agents on small known tasks.</Empty>
    );
  return (
    <Panel title="Benchmarks" flush>
      <Table
        label="Benchmarks"
        rows={data.toReversed()}
        keyOf={({ run, agent, kind }) => `${run} ${agent} ${kind}`}
        columns={[
          { title: 'Verdict', cell: ({ verdict }) => <StateMark look={LOOKS[verdict]} bare /> },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">its own choice</span> },
          { title: 'Kind', cell: ({ kind, run }) => <Link href={runPath(run)}>{kind}</Link> },
          { title: 'Cost', isNumber: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
          { title: 'Time', isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
          { title: 'Reason', cell: ({ reason }) => <span className={styles.wide}>{reason}</span> },
        ]}
      />
    </Panel>
  );
}
