import type { ReactElement } from 'react';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { taskLabel } from '../../../../core/view/task-label.ts';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { LiveAgent } from '../../../ui/run/live-agent.tsx';
import { taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { count, duration } from '../../../ui/text/amounts.tsx';
import { segmentsOf } from './task-segments.ts';
import styles from './timeline-details.module.css';
import type { TimelineHistory } from './timeline-history.ts';

const SEGMENTS = 5;

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
        {evidence.map(({ gate, verdict }) => (
          <span key={gate} className={styles.gate} data-verdict={verdict}>
            {gate}: {verdict}
          </span>
        ))}
      </p>
      <ul className={styles.list}>
        {segments.slice(-SEGMENTS).map(({ attempt, from, to, description, kind }) => (
          <li key={`${kind} ${from}`}>
            <span className={styles.who}>{attempt === null ? kind : `${attempt.number} · ${attempt.agent}`}</span>
            <span className="numbers">{duration((to ?? end) - from)}</span>
            <span className="numbers">{attempt?.usage.kind === 'known' ? moneyText(attempt.usage.costUsd) : ''}</span>
            <span className={styles.text}>{attempt?.ended === null ? (activity ?? description) : description}</span>
          </li>
        ))}
      </ul>
    </div>
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
