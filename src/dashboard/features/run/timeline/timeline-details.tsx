import type { ReactElement } from 'react';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { checkOutput, isFailed } from '../../../../core/view/failed-check.ts';
import { taskCost } from '../../../../core/view/task-cost.ts';
import { agentText, taskLabel } from '../../../../core/view/task-label.ts';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { useThrottled } from '../../../ui/browser/use-now.ts';
import { CostText } from '../../../ui/run/cost-text.tsx';
import { LiveAgent } from '../../../ui/run/live-agent.tsx';
import { taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { count, duration, lasted } from '../../../ui/text/amounts.tsx';
import { type Segment, segmentsOf } from './task-segments.ts';
import styles from './timeline-details.module.css';
import type { TimelineHistory } from './timeline-history.ts';

const SEGMENTS = 5;
const OUTPUT_LINES = 6;
/** A pointer that passes over rows requests no diff of them. */
const DIFF_PAUSE_MS = 400;

/** The details of the hovered or focused task. */
type DetailsProps = {
  state: RunState;
  task: TaskState | undefined;
  history: TimelineHistory;
  end: number;
  live: readonly LiveAttempt[];
};

export function Details({ state, task, history, end, live }: DetailsProps): ReactElement {
  const activity = live.find((each) => each.task === task?.spec.key)?.activity;
  if (task === undefined) {
    return (
      <div className={styles.details}>
        <p className="quiet">Hover over a row for its details. Enter opens the task, + and - zoom.</p>
      </div>
    );
  }
  const { spec, phase, evidence } = task;
  const segments = segmentsOf(state, task, history);
  return (
    <div className={styles.details}>
      <p className={styles.first}>
        <StateMark displayState={taskDisplayState(phase.status, state.invalidated.includes(spec.key))} />
        <code>{taskLabel(spec)}</code>
        <strong>{spec.title}</strong>
        <span className="quiet">{spec.role}</span>
        {task.attempts.length === 0 ? null : <CostText cost={taskCost(task)} />}
        <DiffFigures run={state.start.run} task={task} />
        {evidence.map(({ gate, verdict }) => (
          <span key={gate} className={styles.gate} data-verdict={verdict}>
            {gate}: {verdict}
          </span>
        ))}
      </p>
      <div className={styles.columns}>
        <ul className={styles.list}>
          {segments.slice(-SEGMENTS).map(({ attempt, from, to, description, kind }) => (
            <li key={`${kind} ${from}`}>
              <span className={styles.who}>
                {attempt === null ? KINDS[kind] : `${attempt.number} · ${agentText(attempt)}`}
              </span>
              <span className="numbers">{lasted((to ?? end) - from)}</span>
              <span className="numbers">
                {attempt === null ? '' : <CostText cost={taskCost({ attempts: [attempt] })} />}
              </span>
              <span className={styles.text} title={description}>
                {attempt?.ended === null ? (activity ?? description) : description}
              </span>
            </li>
          ))}
        </ul>
        <pre className={styles.output} title="Last output">
          {lastOutput(task, activity ?? null)}
        </pre>
      </div>
    </div>
  );
}

const KINDS: Record<Segment['kind'], string> = {
  attempt: 'attempt',
  wait: 'waited',
  checks: 'checks',
  held: 'waited for you',
};

/** The output of what failed last, or what the agent did or said last. */
function lastOutput(task: TaskState, activity: string | null): string {
  const last = task.attempts.at(-1);
  if (last?.ended === null) return activity ?? '';
  const failed = [...task.evidence, ...(task.earlierEvidence ?? [])].find(isFailed);
  const lines = failed === undefined ? [] : checkOutput(failed, { duration }).lines;
  if (lines.length > 0) return lines.slice(-OUTPUT_LINES).join('\n');
  return last?.ended.failure?.evidence ?? last?.ended.failure?.message ?? last?.ended.summary ?? '';
}

/** How much the work of a task changed. */
function DiffFigures({ run, task }: { run: string; task: TaskState }): ReactElement | null {
  const key = useThrottled(task.spec.key, DIFF_PAUSE_MS);
  const hasWork = key === task.spec.key && task.attempts.some(({ ended }) => ended?.saved?.changed === true);
  const { data } = useOperation('summarize-diff', { run, task: key }, { enabled: hasWork });
  if (!hasWork || data === undefined) return null;
  const added = data.files.reduce((sum, file) => sum + file.added, 0);
  const deleted = data.files.reduce((sum, file) => sum + file.deleted, 0);
  return (
    <span className="numbers">
      {count(data.files.length, 'file')} <ins className={styles.added}>+{added}</ins>{' '}
      <del className={styles.deleted}>−{deleted}</del>
    </span>
  );
}

type AtWorkProps = { run: string; live: readonly LiveAttempt[]; all: number };

/** The running agents with their last activity; shown while no row is hovered. */
export function LiveAgents({ run, live, all }: AtWorkProps): ReactElement {
  return (
    // Scrollable content must be focusable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={styles.work} tabIndex={0} aria-label="Running agents">
      <ul className={styles.workList}>
        {live.map((each) => (
          <LiveAgent key={`${each.task} ${each.attempt}`} run={run} live={each} />
        ))}
      </ul>
      {all > live.length ? <p className="quiet">and {count(all - live.length, 'more agent')}</p> : null}
    </section>
  );
}
