import type { ReactElement } from 'react';
import type { StreamStanding } from '../../api/stream.ts';
import { count } from '../../look/amounts.tsx';
import styles from './transcript.module.css';

type StandingProps = { total: number; isLive: boolean; standing: StreamStanding };

/** How much there is, and whether it grows by itself. */
export function Standing({ total, isLive, standing }: StandingProps): ReactElement {
  return (
    <p className={styles.standing}>
      <span className="numbers">{count(total, 'row')}</span>
      {isLive ? (
        <span className={styles.live} data-standing={standing}>
          {WORDS[standing]}
        </span>
      ) : null}
    </p>
  );
}

const WORDS: Record<StreamStanding, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
  ended: 'Ended',
};
