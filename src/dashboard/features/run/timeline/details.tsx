import type { ReactElement } from 'react';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { duration, money } from '../../../ui/amounts.tsx';
import { lookOfTask } from '../../../ui/state.ts';
import { StateMark } from '../../../ui/state-mark.tsx';
import styles from './details.module.css';
import type { Moments } from './moments.ts';
import { segmentsOf } from './segments.ts';

const SEGMENTS = 5;

/** What the row that is pointed at, or focused, is about; its place stays when none is. */
type DetailsProps = {
  state: RunState;
  task: TaskState | undefined;
  moments: Moments;
  end: number;
  live: readonly LiveAttempt[];
};

export function Details({ state, task, moments, end, live }: DetailsProps): ReactElement {
  const activity = live.find((each) => each.task === task?.spec.key)?.activity;
  if (task === undefined) {
    return (
      <div className={styles.details}>
        <p className="quiet">Point at a row for its details; Enter opens the task, + and - zoom.</p>
      </div>
    );
  }
  const { spec, phase, evidence } = task;
  const segments = segmentsOf(state, task, moments);
  return (
    <div className={styles.details}>
      <p className={styles.first}>
        <StateMark look={lookOfTask(phase.status, state.invalidated.includes(spec.key))} />
        <code>{spec.key}</code>
        <strong>{spec.title}</strong>
        <span className="quiet">{spec.role}</span>
        {evidence.map(({ gate, verdict }) => (
          <span key={gate} className={styles.gate} data-verdict={verdict}>
            {gate}: {verdict}
          </span>
        ))}
      </p>
      <ul className={styles.list}>
        {segments.slice(-SEGMENTS).map(({ attempt, from, to, words, kind }) => (
          <li key={`${kind} ${from}`}>
            <span className={styles.who}>{attempt === null ? kind : `${attempt.number} · ${attempt.agent}`}</span>
            <span className="numbers">{duration((to ?? end) - from)}</span>
            <span className="numbers">{attempt?.usage.kind === 'known' ? money(attempt.usage.costUsd) : ''}</span>
            <span className={styles.words}>{attempt?.ended === null ? (activity ?? words) : words}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
