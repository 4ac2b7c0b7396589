import type { ReactElement } from 'react';
import type { TaskStatus } from '../../../core/run/state.ts';
import { type DisplayState, STATE_LABELS, stateColor, taskDisplayState, URGENCY } from './display-state.ts';
import styles from './state-bar.module.css';

type StateBarProps = { counts: Readonly<Partial<Record<TaskStatus, number>>>; total: number };

/** The order along the bar; what has not ended does not fill it, so that a full bar means that all has ended. */
const BAR_ORDER: readonly DisplayState[] = ['done', 'failed', 'cancelled'];

/** The progress of tasks as a thin bar with a segment for each state. */
export function StateBar({ counts, total }: StateBarProps): ReactElement {
  const parts = countByDisplayState(counts);
  const label = URGENCY.flatMap((displayState) => {
    const number = parts.get(displayState) ?? 0;
    return number === 0 ? [] : [`${number} ${STATE_LABELS[displayState].toLowerCase()}`];
  }).join(', ');
  const ended = BAR_ORDER.reduce((sum, displayState) => sum + (parts.get(displayState) ?? 0), 0);
  return (
    <div className={styles.bar} role="img" aria-label={`Of ${total}: ${label}`} title={label}>
      {BAR_ORDER.map((displayState) => {
        const number = parts.get(displayState) ?? 0;
        if (number === 0) return null;
        return <span key={displayState} style={{ flexGrow: number, background: stateColor(displayState) }} />;
      })}
      <span style={{ flexGrow: total === 0 ? 1 : Math.max(0, total - ended) }} />
    </div>
  );
}

function countByDisplayState(counts: StateBarProps['counts']): Map<DisplayState, number> {
  const parts = new Map<DisplayState, number>();
  // Object.entries forgets that the keys are task statuses.
  for (const [status, number] of Object.entries(counts) as [TaskStatus, number][]) {
    const displayState = taskDisplayState(status);
    parts.set(displayState, (parts.get(displayState) ?? 0) + number);
  }
  return parts;
}
