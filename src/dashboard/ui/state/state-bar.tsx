import type { ReactElement } from 'react';
import type { TaskStatus } from '../../../core/run/state.ts';
import { colorOf, type Look, lookOfTask, URGENCY, WORDS } from './display-state.ts';
import styles from './state-bar.module.css';

type StateBarProps = { counts: Readonly<Partial<Record<TaskStatus, number>>>; total: number };

/** The order along the bar: what is finished stands on the left, what is still to come on the right. */
const ALONG: readonly Look[] = ['done', 'failed', 'waiting', 'stale', 'checking', 'running', 'cancelled'];

/** How far work has come, as one thin line with a part for each state. */
export function StateBar({ counts, total }: StateBarProps): ReactElement {
  const parts = byLook(counts);
  const said = URGENCY.flatMap((look) => {
    const number = parts.get(look) ?? 0;
    return number === 0 ? [] : [`${number} ${WORDS[look].toLowerCase()}`];
  }).join(', ');
  return (
    <div className={styles.bar} role="img" aria-label={`Of ${total}: ${said}`} title={said}>
      {ALONG.map((look) => {
        const number = parts.get(look) ?? 0;
        if (number === 0) return null;
        return <span key={look} style={{ flexGrow: number, background: colorOf(look) }} />;
      })}
      <span style={{ flexGrow: parts.get('queued') ?? (total === 0 ? 1 : 0) }} />
    </div>
  );
}

function byLook(counts: StateBarProps['counts']): Map<Look, number> {
  const parts = new Map<Look, number>();
  for (const [status, number] of entries(counts)) {
    const look = lookOfTask(status);
    parts.set(look, (parts.get(look) ?? 0) + number);
  }
  return parts;
}

function entries(counts: StateBarProps['counts']): [TaskStatus, number][];
function entries(counts: object): [string, number][] {
  return Object.entries(counts);
}
