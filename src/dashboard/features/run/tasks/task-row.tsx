import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { lastAttempt, type RunState, type TaskState } from '../../../../core/run/state.ts';
import { taskCost } from '../../../../core/view/task-cost.ts';
import { titleWithLabel } from '../../../../core/view/task-label.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { Button, LinkButton } from '../../../ui/controls/button.tsx';
import { CostText } from '../../../ui/run/cost-text.tsx';
import { stateColor, taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Duration } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { type PlanRow, retryEffect } from './task-plan.ts';
import styles from './task-row.module.css';

type TaskRowProps = {
  state: RunState;
  row: Extract<PlanRow, { kind: 'task' }>;
  isStale: boolean;
  onRetry(): void;
};

/** A task of the plan: state, agent, duration, cost and actions. */
export function TaskRow({ state, row, isStale, onRetry }: TaskRowProps): ReactElement | null {
  const task = state.tasks[row.key];
  if (task === undefined) return null;
  const run = state.start.run;
  const displayState = taskDisplayState(task.phase.status, isStale);
  const attempt = lastAttempt(task);
  return (
    <div className={styles.line}>
      <span className={styles.name} style={{ paddingLeft: row.depth * 14 }}>
        <span className={styles.box} style={{ color: stateColor(displayState) }} aria-hidden="true">
          {task.phase.status === 'done' ? <Icon name="check" size={12} /> : null}
        </span>
        <Link href={taskPath(run, row.key)} className={styles.title} title={titleWithLabel(task.spec)}>
          {titleWithLabel(task.spec)}
        </Link>
        <span className={styles.reason}>{reasonOf(task)}</span>
      </span>
      <span className={styles.role}>{task.spec.role}</span>
      <span className={styles.agent}>
        {attempt === undefined ? '' : attempt.agent}
        {attempt !== undefined && attempt.number > 1 ? ` #${attempt.number}` : ''}
      </span>
      <StateMark displayState={displayState} />
      <span className={styles.figure}>
        {attempt === undefined ? '' : <Duration from={attempt.startedAt} to={attempt.ended?.at ?? null} />}
      </span>
      <span className={styles.figure}>{task.attempts.length === 0 ? '' : <CostText cost={taskCost(task)} />}</span>
      <span className={styles.actions}>
        {task.phase.status === 'held' ? (
          <LinkButton to={`${taskPath(run, row.key)}?view=diff`} weight="main">
            Review
          </LinkButton>
        ) : null}
        {IS_GUEST || retryEffect(state, row.key) === null ? null : (
          <Button weight="quiet" aria-label={`Retry ${task.spec.title}`} title="Retry" onClick={onRetry}>
            <Icon name="retry" size={14} />
          </Button>
        )}
      </span>
    </div>
  );
}

function reasonOf({ phase }: TaskState): string {
  if (phase.status === 'held') return phase.hold.reason;
  return phase.status === 'done' || !('reason' in phase) ? '' : phase.reason;
}
