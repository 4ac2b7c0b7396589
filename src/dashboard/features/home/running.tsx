import type { ReactElement } from 'react';
import type { RunOverview } from '../../../schema/overview.ts';
import { RunCard } from './run-card.tsx';
import styles from './running.module.css';

type RunningProps = { running: readonly RunOverview[]; resting: readonly RunOverview[] };

/** What is at work now; runs that are open but have nobody at work follow. */
export function Running({ running, resting }: RunningProps): ReactElement {
  const cards = [...running, ...resting];
  return (
    <section aria-label="Running">
      <h2 className={styles.title}>
        Running <span className="quiet">{cards.length === 0 ? '' : cards.length}</span>
      </h2>
      {cards.length === 0 ? (
        <p className="quiet">Nothing is running.</p>
      ) : (
        <ul className={styles.cards}>
          {cards.map((run) => (
            <li key={run.run}>
              <RunCard run={run} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
