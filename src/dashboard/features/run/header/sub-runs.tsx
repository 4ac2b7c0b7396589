import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { subRunDocument } from '../../../../core/view/sub-run-document.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { runPath, taskPath } from '../../../ui/browser/page-paths.ts';
import { runDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import styles from './sub-runs.module.css';

/** The task that started this run, and the runs that agents of this one started. */
export function SubRuns({ state }: { state: RunState }): ReactElement | null {
  const { start, subRuns = [] } = state;
  if (start.parent === undefined && subRuns.length === 0) return null;
  return (
    <section className={styles.box} aria-label="Sub-runs">
      {start.parent === undefined ? null : (
        <p>
          Started by{' '}
          {IS_GUEST ? (
            start.parent.task
          ) : (
            <Link href={taskPath(start.parent.run, start.parent.task)}>
              {start.parent.task} of run {start.parent.run}
            </Link>
          )}
        </p>
      )}
      {subRuns.length === 0 ? null : (
        <ul>
          {subRuns.map((subRun) => (
            <SubRun key={subRun.run} subRun={subRun} />
          ))}
        </ul>
      )}
    </section>
  );
}

function SubRun({ subRun }: { subRun: NonNullable<RunState['subRuns']>[number] }): ReactElement {
  const { run, task, title, status, reason, cost } = subRunDocument(subRun);
  return (
    <li className={styles.row}>
      <StateMark displayState={displayStateOf(subRun)} />
      {IS_GUEST ? <span>{title}</span> : <Link href={runPath(run)}>{title}</Link>}
      <span className="quiet">
        sub-run {run} of {task}, {status}
        {reason === null ? '' : `: ${reason}`}
        {cost === null ? '' : `, ${moneyText(cost)}`}
      </span>
    </li>
  );
}

function displayStateOf({ ended, waitsFor }: NonNullable<RunState['subRuns']>[number]) {
  const status = ended?.status ?? (waitsFor === null ? 'running' : 'blocked');
  return runDisplayState({ status, unread: false, nextAt: null, liveCount: 1, carried: true, waitsFor: null });
}
