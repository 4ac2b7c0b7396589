import type { ReactElement } from 'react';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { count } from '../../../ui/amounts.tsx';
import { LiveAgent } from '../../../ui/live-agent.tsx';
import styles from './at-work.module.css';

type AtWorkProps = { run: string; live: readonly LiveAttempt[]; all: number };

/** Who is at work right now, and what each did last; it stands where the details of a row stand when one is pointed at. */
export function AtWork({ run, live, all }: AtWorkProps): ReactElement {
  return (
    // A part that scrolls must be reachable by keys.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={styles.work} tabIndex={0} aria-label="Agents at work">
      <ul className={styles.list}>
        {live.map((each) => (
          <LiveAgent key={`${each.task} ${each.attempt}`} run={run} live={each} />
        ))}
      </ul>
      {all > live.length ? <p className="quiet">and {count(all - live.length, 'more agent')}</p> : null}
    </section>
  );
}
