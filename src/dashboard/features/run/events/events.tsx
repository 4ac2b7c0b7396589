import { type ReactElement, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { useSave } from '../../../ui/feedback/use-save.ts';
import { VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { exactTime } from '../../../ui/text/amounts.tsx';
import type { ViewProps } from '../run-views.ts';
import { useChoices } from '../use-view-params.ts';
import { EventFilter } from './event-filter.tsx';
import styles from './events.module.css';
import { saveEvents } from './save-events.ts';
import { type EventLineData, KINDS, useEventLines } from './use-event-lines.ts';

const ROW_PX = 26;
/** On a phone the fact has two lines of its own. */
const PHONE_ROW_PX = 68;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
/** For events of another day than the first one. */
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** The events of a run as sentences, newest last. */
export function Events({ state }: ViewProps): ReactElement {
  const { lines, count, connectionState } = useEventLines(state);
  const [isPhone] = useState(() => window.matchMedia('(max-width: 720px)').matches);
  const [search, choose] = useChoices();
  const [isSaving, save] = useSave(() => saveEvents(state));
  const kind = KINDS.find((each) => each === search.get('kind')) ?? null;
  const text = search.get('text') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines are only appended and change with the count
  const shown = useMemo(() => chosen(lines, { kind, text: text.toLowerCase() }), [lines, count, kind, text]);
  return (
    <div className={styles.events}>
      <EventFilter
        kind={kind}
        text={text}
        choose={choose}
        connectionState={state.status.kind === 'ended' && connectionState === 'live' ? 'ended' : connectionState}
        count={shown.length}
      >
        <Button weight="quiet" title="Save all events as JSON" busy={isSaving} onClick={() => void save()}>
          Save JSON
        </Button>
      </EventFilter>
      {count === 0 ? (
        <Skeleton lines={6} />
      ) : shown.length === 0 ? (
        <EmptyState title="No matching events">Choose another kind or text.</EmptyState>
      ) : (
        <VirtualList
          label="Events"
          count={shown.length}
          rowHeight={isPhone ? PHONE_ROW_PX : ROW_PX}
          follow
          keyOf={(index) => shown[index]?.id ?? String(index)}
        >
          {(index) => {
            const line = shown[index];
            return line === undefined ? null : <EventLine state={state} line={line} isPhone={isPhone} />;
          }}
        </VirtualList>
      )}
    </div>
  );
}

type EventLineProps = { state: RunState; line: EventLineData; isPhone: boolean };

function EventLine({ state, line, isPhone }: EventLineProps): ReactElement {
  const { about, task, fact, at } = line;
  return (
    <p className={styles.line} data-phone={isPhone}>
      <time className={styles.time} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {DAY.format(at) === DAY.format(state.startedAt) ? '' : `${DAY.format(at)}, `}
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
      (text === '' || line.fact.toLowerCase().includes(text) || line.about.toLowerCase().includes(text)),
  );
}
