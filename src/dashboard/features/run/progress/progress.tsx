import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ProgressDocument } from '../../../../schema/progress.ts';
import { call } from '../../../api/call.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { type Column, Table } from '../../../ui/layout/table.tsx';
import type { DisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Spent } from '../../../ui/text/amounts.tsx';
import type { ViewProps } from '../run-views.ts';
import styles from './progress.module.css';

type Point = ProgressDocument['points'][number];
type Round = ProgressDocument['rounds'][number];

const STATES: Record<Point['status'], DisplayState> = { open: 'queued', done: 'done', rejected: 'failed' };
const POINTS: readonly Column<Point>[] = [
  { title: 'Point', cell: ({ id, status }) => <Mark id={id} status={status} /> },
  { title: 'What', cell: ({ title }) => title },
  { title: 'Evidence', cell: ({ evidence, by }) => evidence ?? by ?? '' },
];

/** The points that a run which works in rounds must reach, and what each round did. */
export function Progress({ state }: ViewProps): ReactElement {
  const { run } = state.start;
  const { done, failed } = state.counts;
  const query = useQuery({
    queryKey: ['show-run', run, state.order.length, done, failed, state.status.kind],
    queryFn: ({ signal }) => call('show-run', { run }, signal),
    placeholderData: keepPreviousData,
  });
  if (query.error !== null) return <ErrorMessage error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton lines={6} />;
  const { progress } = query.data;
  if (progress === undefined) return <EmptyState title="No round has ended yet" />;
  return <ProgressTables progress={progress} />;
}

function ProgressTables({
  progress: { unit, points, rounds, warnings, stop },
}: {
  progress: ProgressDocument;
}): ReactElement {
  const isCycle = unit === 'cycle';
  const columns: readonly Column<Round>[] = [
    { title: isCycle ? 'Cycle' : 'Round', isNumber: true, cell: ({ round }) => String(round) },
    { title: 'Done', isNumber: true, cell: ({ done }) => String(done) },
    { title: 'Landed', cell: ({ landed }) => (landed ? 'yes' : 'no') },
    { title: 'Findings', isNumber: true, cell: ({ findings }) => String(findings) },
    { title: 'Cost', isNumber: true, cell: ({ cost }) => <Spent usd={cost} /> },
  ];
  return (
    <div className={styles.progress}>
      {stop === null ? null : <p>It stopped: {stop}</p>}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      <Panel title={isCycle ? 'Milestones' : 'Points'} flush>
        <Table label="Points" columns={POINTS} rows={points} keyOf={({ id }) => id} />
      </Panel>
      {rounds.length === 0 ? null : (
        <Panel title={isCycle ? 'Cycles' : 'Rounds'} flush>
          <Table label="Rounds" columns={columns} rows={rounds} keyOf={({ round }) => String(round)} />
        </Panel>
      )}
    </div>
  );
}

function Mark({ id, status }: Pick<Point, 'id' | 'status'>): ReactElement {
  return (
    <span className={styles.mark}>
      <StateMark displayState={STATES[status]} bare /> {id}
    </span>
  );
}
