import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { folderName, runPath } from '../../ui/browser/page-paths.ts';
import type { ListKeys } from '../../ui/controls/list-keys.ts';
import table from '../../ui/layout/table.module.css';
import { runDisplayState } from '../../ui/state/display-state.ts';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Duration, lasted, Spent, Time } from '../../ui/text/amounts.tsx';
import { Icon } from '../../ui/text/icon.tsx';
import styles from './history.module.css';
import type { HistoryRun } from './use-history.ts';

type HistoryTableProps = {
  runs: readonly HistoryRun[];
  chosen: ReadonlySet<string>;
  keys: ListKeys;
  isArchived: boolean;
  onChoose(run: string): void;
};

/** The runs as a table with keyboard navigation. */
export function HistoryTable({ runs, chosen, keys, isArchived, onChoose }: HistoryTableProps): ReactElement {
  return (
    <div className={table.scroll}>
      <table className={`${table.table} ${styles.table}`} onKeyDown={keys.onKeyDown}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Selected</span>
            </th>
            <th scope="col">Status</th>
            <th scope="col">Title</th>
            <th scope="col">Project</th>
            <th scope="col">Recipe</th>
            <th scope="col" className={table.number}>
              Tasks
            </th>
            <th scope="col" className={table.number}>
              Cost
            </th>
            <th scope="col" className={table.number}>
              Duration
            </th>
            <th scope="col" className={table.number}>
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <HistoryRow
              key={run.run}
              run={run}
              isArchived={isArchived}
              isChosen={chosen.has(run.run)}
              rowProps={keys.rowProps(index)}
              onChoose={() => onChoose(run.run)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HistoryRowProps = {
  run: HistoryRun;
  isArchived: boolean;
  isChosen: boolean;
  rowProps: { 'data-row': number; tabIndex: number; onFocus(): void };
  onChoose(): void;
};

/** One run of the list. */
function HistoryRow({ run, isArchived, isChosen, rowProps, onChoose }: HistoryRowProps): ReactElement {
  const displayState = runDisplayState({ ...run, unread: false, liveCount: 0 });
  return (
    <tr className={styles.row} data-chosen={isChosen} {...rowProps}>
      <td>
        <label className={styles.choose}>
          <input
            type="checkbox"
            aria-label={`Select ${run.title}`}
            checked={isChosen}
            onChange={onChoose}
            tabIndex={-1}
          />
        </label>
      </td>
      <td>
        <StateMark displayState={displayState} />
      </td>
      <td className={styles.title}>
        {isArchived ? run.title : <Link href={runPath(run.run)}>{run.title}</Link>}
        {run.flag === null ? null : (
          <span className={styles.flag} title={run.flag.note ?? 'Flagged'}>
            <Icon name="flag" size={12} />
            <span className="visually-hidden">flagged</span>
          </span>
        )}
        {run.hidden ? <span className={styles.tag}>hidden</span> : null}
        {run.collection === null ? null : <span className={styles.tag}>{run.collection}</span>}
      </td>
      <td className="quiet" title={run.project}>
        {folderName(run.project)}
      </td>
      <td className="quiet">{run.recipe}</td>
      <td className={styles.number}>
        {run.done.toLocaleString('en-US')}/{run.tasks.toLocaleString('en-US')}
      </td>
      <td className={styles.number}>
        <Spent usd={run.cost} unknown={run.unknownUsage} />
      </td>
      <td className={styles.number}>
        <RunDuration run={run} isScheduled={displayState === 'scheduled'} />
      </td>
      <td className={styles.number}>
        <Time at={displayState === 'scheduled' ? (run.nextAt ?? run.startedAt) : run.startedAt} />
      </td>
    </tr>
  );
}

/** What has not begun has no duration. */
function RunDuration({ run, isScheduled }: { run: HistoryRun; isScheduled: boolean }): ReactElement | string {
  if (run.endedAt !== null) return lasted(Date.parse(run.endedAt) - Date.parse(run.startedAt));
  return isScheduled ? '–' : <Duration from={run.startedAt} to={null} />;
}
