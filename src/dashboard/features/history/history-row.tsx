import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Duration, duration, Money, Time } from '../../ui/amounts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { folderName, runPath } from '../../ui/paths.ts';
import { lookOfRun } from '../../ui/state.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import styles from './history.module.css';
import type { HistoryRun } from './use-history.ts';

type HistoryRowProps = {
  run: HistoryRun;
  isArchived: boolean;
  isChosen: boolean;
  rowProps: { 'data-row': number; tabIndex: number; onFocus(): void };
  onChoose(): void;
};

/** One run of the list. */
export function HistoryRow({ run, isArchived, isChosen, rowProps, onChoose }: HistoryRowProps): ReactElement {
  return (
    <tr className={styles.row} data-chosen={isChosen} {...rowProps}>
      <td>
        <input
          type="checkbox"
          aria-label={`Choose ${run.title}`}
          checked={isChosen}
          onChange={onChoose}
          tabIndex={-1}
        />
      </td>
      <td>
        <StateMark look={lookOfRun({ ...run, unread: false, liveCount: 0 })} />
      </td>
      <td className={styles.title}>
        {isArchived ? run.title : <Link href={runPath(run.run)}>{run.title}</Link>}
        {run.flag === null ? null : (
          <span className={styles.flag} title={run.flag.note ?? 'Flagged'}>
            <Icon name="flag" size={12} />
            <span className="hidden-words">flagged</span>
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
        {run.done}/{run.tasks}
      </td>
      <td className={styles.number}>
        <Money usd={run.cost} />
      </td>
      <td className={styles.number}>
        {run.endedAt === null ? (
          <Duration from={run.startedAt} to={null} />
        ) : (
          duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))
        )}
      </td>
      <td className={styles.number}>
        <Time at={run.startedAt} />
      </td>
    </tr>
  );
}
