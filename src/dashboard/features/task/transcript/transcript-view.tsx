import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import type { ConnectionState } from '../../../api/stream.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Empty, Skeleton, Trouble } from '../../../ui/feedback/placeholders.tsx';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { FindBar } from './find-bar.tsx';
import styles from './transcript.module.css';
import { Rows } from './transcript-rows.tsx';
import { useTranscript, type Which } from './use-transcript.ts';
import { useFind } from './use-transcript-find.ts';
import { useReading } from './use-transcript-list.ts';

type StandingProps = { total: number; isLive: boolean; standing: ConnectionState };

const WORDS: Record<ConnectionState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
  ended: 'Ended',
};

type TranscriptViewProps = {
  which: Which;
  startedAt: number;
  isLive: boolean;
  /** The row that a link leads to. */
  row: number | undefined;
};

/** All that was said in one attempt, as it is said. */
export function TranscriptView({ which, startedAt, isLive, row }: TranscriptViewProps): ReactElement {
  const scroller = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const transcript = useTranscript(which, isLive);
  const reading = useReading(transcript, scroller);
  const [place, setPlace] = useState<number>();
  const show = (target: number) => {
    setPlace(target);
    reading.goTo({ row: target });
  };
  const find = useFind(which, show);
  const isThere = transcript.window !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once, when there is something to scroll
  useEffect(() => {
    if (isThere && row !== undefined) show(row);
  }, [isThere, row]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'f' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    field.current?.focus();
  };
  const total = transcript.window?.total ?? 0;
  return (
    <section className={styles.view} aria-label="Transcript">
      <header className={styles.bar}>
        <FindBar find={find} field={field} />
        <Standing total={total} isLive={isLive} standing={transcript.standing} />
      </header>
      <div className={styles.frame}>
        <ScrollArea ref={scroller} className={styles.scroller} label="Rows" onKeyDown={onKeyDown}>
          {!isThere && transcript.error === undefined ? <Skeleton lines={12} /> : null}
          {transcript.error === undefined ? null : <Trouble error={transcript.error} again={transcript.again} />}
          {isThere && total === 0 ? <Silence isLive={isLive} /> : null}
          <Rows reading={reading} find={find} startedAt={startedAt} place={place} />
        </ScrollArea>
        {reading.sought === undefined ? null : (
          <p className={styles.sought} role="status">
            Row {(reading.sought + 1).toLocaleString('en-US')} of {total.toLocaleString('en-US')}
          </p>
        )}
        {reading.isFollowing || total === 0 ? null : (
          <div className={styles.jump}>
            <Button weight="main" onClick={() => reading.goTo('end')}>
              Jump to latest ↓
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}

function Silence({ isLive }: { isLive: boolean }): ReactElement {
  return isLive ? (
    <Empty title="Nothing was said yet">What the agent says and does appears here as it happens.</Empty>
  ) : (
    <Empty title="Nothing was said in this attempt">It ended before its agent said anything.</Empty>
  );
}

/** How much there is, and whether it grows by itself. */
function Standing({ total, isLive, standing }: StandingProps): ReactElement {
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
