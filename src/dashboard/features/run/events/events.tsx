import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { taskPath } from '../../../ui/paths.ts';
import { Empty, Skeleton } from '../../../ui/standing.tsx';
import { useChoices } from '../../../ui/use-choices.ts';
import { VirtualList } from '../../../ui/virtual-list.tsx';
import type { ViewProps } from '../views.ts';
import { EventFilter } from './event-filter.tsx';
import styles from './events.module.css';
import { type HistoryLine, KINDS, useHistory } from './history.ts';

const ROW_PX = 26;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** What happened, in sentences, the newest last. */
export function Events({ state }: ViewProps): ReactElement {
  const { lines, count, standing } = useHistory(state);
  const [search, choose] = useChoices();
  const kind = KINDS.find((each) => each === search.get('kind')) ?? null;
  const text = search.get('text') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines are only added to, the count tells
  const shown = useMemo(() => chosen(lines, { kind, text: text.toLowerCase() }), [lines, count, kind, text]);
  return (
    <div className={styles.events}>
      <EventFilter kind={kind} text={text} choose={choose} standing={standing} count={shown.length} />
      {count === 0 ? (
        <Skeleton lines={6} />
      ) : shown.length === 0 ? (
        <Empty title="Nothing like that happened">Choose another kind or other words.</Empty>
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

function EventLine({ state, line }: { state: RunState; line: HistoryLine }): ReactElement {
  const { about, fact, at } = line;
  return (
    <p className={styles.line}>
      <time className={styles.time} dateTime={new Date(at).toISOString()} title={EXACT.format(at)}>
        {CLOCK.format(at)}
      </time>
      {state.tasks[about] === undefined ? (
        <span className={styles.about}>{about}</span>
      ) : (
        <Link href={taskPath(state.start.run, about)} className={styles.about} title={state.tasks[about]?.spec.title}>
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
  lines: readonly HistoryLine[],
  { kind, text }: { kind: string | null; text: string },
): readonly HistoryLine[] {
  if (kind === null && text === '') return lines;
  return lines.filter(
    (line) =>
      (kind === null || line.kind === kind) &&
      (text === '' || line.fact.toLowerCase().includes(text) || line.about.includes(text)),
  );
}
