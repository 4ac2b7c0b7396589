import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { EmptyState, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { exactTime } from '../../../ui/text/amounts.tsx';
import type { ViewProps } from '../run-views.ts';
import { useChoices } from '../use-view-params.ts';
import styles from './events.module.css';
import { type EventLineData, KINDS, useEventLines } from './use-event-lines.ts';

const ROW_PX = 26;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The events of a run as sentences, newest last. */
export function Events({ state }: ViewProps): ReactElement {
  const { lines, count, connectionState } = useEventLines(state);
  const [search, choose] = useChoices();
  const kind = KINDS.find((each) => each === search.get('kind')) ?? null;
  const text = search.get('text') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines are only appended and change with the count
  const shown = useMemo(() => chosen(lines, { kind, text: text.toLowerCase() }), [lines, count, kind, text]);
  return (
    <div className={styles.events}>
      <EventFilter kind={kind} text={text} choose={choose} connectionState={connectionState} count={shown.length} />
      {count === 0 ? (
        <Skeleton lines={6} />
      ) : shown.length === 0 ? (
        <EmptyState title="No matching events">Choose another kind or text.</EmptyState>
      ) : (
        <VirtualList
          label="Events"
          count={shown.length}
          rowHeight={ROW_PX}
          follow
          keyOf={(index) => shown[index]?.id ?? String(index)}
        >
          {(index) => {
            const line = shown[index];
            return line === undefined ? null : <EventLine state={state} line={line} />;
          }}
        </VirtualList>
      )}
    </div>
  );
}

function EventLine({ state, line }: { state: RunState; line: EventLineData }): ReactElement {
  const { about, task, fact, at } = line;
  return (
    <p className={styles.line}>
      <time className={styles.time} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {CLOCK.format(at)}
      </time>
      {task === undefined ? (
        <span className={styles.about}>{about}</span>
      ) : (
        <Link href={taskPath(state.start.run, task)} className={styles.about} title={state.tasks[task]?.spec.title}>
          {about}
        </Link>
      )}
      <span className={styles.fact} title={fact}>
        {fact}
      </span>
    </p>
  );
}

function chosen(
  lines: readonly EventLineData[],
  { kind, text }: { kind: string | null; text: string },
): readonly EventLineData[] {
  if (kind === null && text === '') return lines;
  return lines.filter(
    (line) =>
      (kind === null || line.kind === kind) &&
      (text === '' || line.fact.toLowerCase().includes(text) || line.about.includes(text)),
  );
}

type EventFilterProps = {
  kind: string | null;
  text: string;
  connectionState: ConnectionState;
  count: number;
  choose(key: 'kind' | 'text', value: string | null): void;
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
function EventFilter({ kind, text, connectionState, count, choose }: EventFilterProps): ReactElement {
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter events"
        aria-label="Filter events by text"
        value={text}
        onChange={({ target }) => choose('text', target.value)}
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
    </div>
  );
}
