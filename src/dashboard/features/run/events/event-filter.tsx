import type { ReactElement } from 'react';
import type { ConnectionState } from '../../../api/stream.ts';
import styles from './events.module.css';
import { KINDS } from './history.ts';

type EventFilterProps = {
  kind: string | null;
  text: string;
  standing: ConnectionState;
  count: number;
  choose(key: 'kind' | 'text', value: string | null): void;
};

const TITLES: Record<(typeof KINDS)[number], string> = {
  run: 'Run',
  task: 'Tasks',
  attempt: 'Attempts',
  gate: 'Checks',
  call: 'Small questions',
};
const STANDINGS: Record<ConnectionState, string> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Not connected; trying again',
  ended: '',
};

/** Chooses events by kind and by words, and says whether they are live. */
export function EventFilter({ kind, text, standing, count, choose }: EventFilterProps): ReactElement {
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter events"
        aria-label="Filter events by words"
        value={text}
        onChange={({ target }) => choose('text', target.value)}
      />
      <label>
        <span className="hidden-words">Kind of events</span>
        <select
          className={styles.text}
          value={kind ?? ''}
          onChange={({ target }) => choose('kind', target.value === '' ? null : target.value)}
        >
          <option value="">All kinds</option>
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {TITLES[each]}
            </option>
          ))}
        </select>
      </label>
      <span className="quiet numbers">{count.toLocaleString('en-US')}</span>
      <span className={styles.standing} role="status">
        {STANDINGS[standing]}
      </span>
    </div>
  );
}
