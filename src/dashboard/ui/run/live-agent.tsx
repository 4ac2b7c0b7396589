import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { type CurrentActivity, currentSteps, waitText } from '../../../core/view/activity.ts';
import type { LiveAttempt } from '../../../schema/overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { now } from '../browser/clock.ts';
import { taskPath } from '../browser/page-paths.ts';
import { Duration, Money, Time } from '../text/amounts.tsx';
import { Icon } from '../text/icon.tsx';
import styles from './live-agent.module.css';

/** A running agent: its task, last activity, time of the last sign of life, and warnings. */
export function LiveAgent({ run, live }: { run: string; live: LiveAttempt }): ReactElement {
  const who = [live.agent, live.account, live.tier].filter((part) => part !== null).join(' · ');
  return (
    <li className={styles.agent}>
      <div className={styles.line}>
        <span className={styles.name} title={who}>
          {live.agent}
        </span>
        <Link
          href={taskPath(run, live.task)}
          className={styles.task}
          title={`${live.label ?? live.task}: ${live.title}`}
        >
          {live.title}
        </Link>
        <span className={styles.figures}>
          {live.attempt > 1 ? <span title="Attempt">#{live.attempt}</span> : null}
          <Money usd={live.costUsd} />
          <Duration from={live.startedAt} to={null} />
        </span>
      </div>
      <p className={styles.activity}>
        <span className={styles.did} title={live.activity ?? undefined}>
          {live.activity ?? (live.terminal ? 'Works in its terminal' : 'No output yet')}
        </span>
        <span className={styles.sign}>
          <Time at={live.lastSignAt} />
        </span>
      </p>
      {live.warnings.map((warning) => (
        <Warning key={warning.sign} run={run} live={live} warning={warning} />
      ))}
    </li>
  );
}

type WarningProps = { run: string; live: LiveAttempt; warning: LiveAttempt['warnings'][number] };

function Warning({ run, live: { task, attempt }, warning: { sign, message } }: WarningProps): ReactElement {
  const dismiss = useAction('dismiss-warning');
  return (
    <p className={styles.warning}>
      <Icon name="warning" size={14} />
      <span>{message}</span>
      <button
        type="button"
        aria-label={`Dismiss warning: ${message}`}
        disabled={dismiss.isBusy}
        onClick={() => dismiss.act({ run, task, attempt, sign })}
      >
        <Icon name="close" size={12} />
      </button>
    </p>
  );
}

const MAX_STEPS = 3;

/** What the engine does now for a run, or for one of its tasks, and what the run waits for. */
export function CurrentSteps({
  current,
  task,
}: {
  current: CurrentActivity | undefined;
  task?: string;
}): ReactElement | null {
  if (current === undefined) return null;
  const { waitsFor } = current;
  if (waitsFor !== null && (task === undefined || task === waitsFor.task))
    return <p className={styles.steps}>{waitText(waitsFor, now())}</p>;
  const steps = currentSteps({ ...current, live: [] }).filter(
    ({ tasks }) => task === undefined || tasks.includes(task),
  );
  if (steps.length === 0) return null;
  return (
    <ul className={styles.steps} aria-label="Now">
      {steps.slice(0, MAX_STEPS).map(({ about, what, detail, since }) => (
        <li key={about} className={styles.step} title={detail ?? what}>
          {task !== undefined || about === 'run' ? '' : `${about}: `}
          {what} (<Duration from={since} to={null} />){detail === null ? '' : `: ${detail}`}
        </li>
      ))}
      {steps.length > MAX_STEPS ? <li>and {steps.length - MAX_STEPS} more</li> : null}
    </ul>
  );
}
