import type { ReactElement, ReactNode } from 'react';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { useDebouncedText } from '../../../ui/controls/use-debounced-text.ts';
import styles from './events.module.css';
import { KINDS } from './use-event-lines.ts';

type EventFilterProps = {
  kind: string | null;
  text: string;
  connectionState: ConnectionState;
  count: number;
  choose(key: 'kind' | 'text', value: string | null): void;
  children: ReactNode;
};

const KIND_TITLES: Record<(typeof KINDS)[number], string> = {
  run: 'Run',
  task: 'Tasks',
  attempt: 'Attempts',
  gate: 'Checks',
  call: 'Small calls',
};
const CONNECTION_LABELS: Record<ConnectionState, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Not connected; reconnecting',
  ended: '',
};

/** Filters events by kind and text, and shows the connection state. */
export function EventFilter({ kind, text, connectionState, count, choose, children }: EventFilterProps): ReactElement {
  const [typed, setTyped] = useDebouncedText(text, (next) => choose('text', next));
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter events"
        aria-label="Filter events by text"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <label>
        <span className="visually-hidden">Event kind</span>
        <select
          className={styles.text}
          value={kind ?? ''}
          onChange={({ target }) => choose('kind', target.value === '' ? null : target.value)}
        >
          <option value="">All kinds</option>
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {KIND_TITLES[each]}
            </option>
          ))}
        </select>
      </label>
      <span className="quiet numbers">{count.toLocaleString('en-US')}</span>
      <span className={styles.connection} role="status">
        {CONNECTION_LABELS[connectionState]}
      </span>
      {children}
    </div>
  );
}
