import type { ReactElement } from 'react';
import type { WaitingEntry } from '../../../core/view/needs-you.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { LinkButton } from '../../ui/controls/button.tsx';
import { FailedRow } from '../../ui/run/failed-row.tsx';
import { WaitingRow } from '../../ui/run/waiting-row.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import styles from './needs-you.module.css';

const [MAX_ITEMS, MAX_FAILED] = [40, 10];

type NeedsYouProps = { waiting: readonly WaitingEntry[]; failed: readonly RunOverview[] };

/** What needs the user: what waits, oldest first, then runs that failed. */
export function NeedsYou({ waiting, failed }: NeedsYouProps): ReactElement {
  if (waiting.length + failed.length === 0) {
    return (
      <section aria-label="Needs you" className={styles.calm}>
        <StateMark displayState="done" bare />
        Nothing needs you.
      </section>
    );
  }
  return (
    <section aria-label="Needs you">
      <h2 className={styles.title}>
        Needs you <span className={styles.number}>{waiting.length + failed.length}</span>
      </h2>
      <ul className={styles.items}>
        {waiting.slice(0, MAX_ITEMS).map((entry) => (
          <WaitingRow
            key={`${entry.run.run} ${entry.item.task} ${entry.item.what} ${entry.item.nextStep}`}
            entry={entry}
          />
        ))}
        {failed.slice(0, MAX_FAILED).map((run) => (
          <FailedRow key={run.run} run={run} />
        ))}
      </ul>
      {failed.length > MAX_FAILED ? (
        <p className={styles.more}>
          <LinkButton to="/history?status=failed">All {failed.length} failed runs</LinkButton>
        </p>
      ) : null}
      {waiting.length > MAX_ITEMS ? (
        <p className={styles.more}>
          <LinkButton to="/inbox">All {waiting.length} in the inbox</LinkButton>
        </p>
      ) : null}
    </section>
  );
}
