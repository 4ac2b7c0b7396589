import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { FindBar } from './find-bar.tsx';
import { SaveTranscript } from './save-transcript.tsx';
import styles from './transcript.module.css';
import { TranscriptRows } from './transcript-rows.tsx';
import { type AttemptRef, useTranscript } from './use-transcript.ts';
import { useFind } from './use-transcript-find.ts';
import { useTranscriptList } from './use-transcript-list.ts';

type StreamStatusProps = { total: number; isLive: boolean; connectionState: ConnectionState };

const CONNECTION_LABELS: Record<ConnectionState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
  ended: 'Ended',
};

type TranscriptViewProps = {
  which: AttemptRef;
  startedAt: number;
  isLive: boolean;
  /** Whether the agent is interactive: what it draws on its screen is not in the transcript. */
  hasTerminal: boolean;
  /** The row that the link names. */
  row: number | undefined;
};

/** The transcript of one attempt, live while it is running. */
export function TranscriptView({ which, startedAt, isLive, hasTerminal, row }: TranscriptViewProps): ReactElement {
  const scroller = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const transcript = useTranscript(which, isLive);
  const list = useTranscriptList(transcript, scroller);
  const [markedRow, setMarkedRow] = useState<number>();
  const show = (target: number) => {
    setMarkedRow(target);
    list.goTo({ row: target });
  };
  const find = useFind(which, show);
  const isLoaded = transcript.window !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once, when the rows are loaded
  useEffect(() => {
    if (isLoaded && row !== undefined) show(row);
  }, [isLoaded, row]);
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
        <div className={styles.end}>
          {total === 0 ? null : <SaveTranscript which={which} />}
          <StreamStatus total={total} isLive={isLive} connectionState={transcript.connectionState} />
        </div>
      </header>
      <div className={styles.frame}>
        <ScrollArea ref={scroller} className={styles.scroller} label="Rows" onKeyDown={onKeyDown}>
          {!isLoaded && transcript.error === undefined ? <Skeleton lines={12} /> : null}
          {transcript.error === undefined ? null : <ErrorMessage error={transcript.error} retry={transcript.reload} />}
          {isLoaded && total === 0 ? <EmptyTranscript isLive={isLive} hasTerminal={hasTerminal} /> : null}
          <TranscriptRows view={list} find={find} which={which} startedAt={startedAt} markedRow={markedRow} />
        </ScrollArea>
        {list.targetRow === undefined ? null : (
          <p className={styles.sought} role="status">
            Row {(list.targetRow + 1).toLocaleString('en-US')} of {total.toLocaleString('en-US')}
          </p>
        )}
        {list.isFollowing || total === 0 ? null : (
          <div className={styles.jump}>
            <Button weight="main" onClick={() => list.goTo('end')}>
              Jump to latest ↓
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}

function EmptyTranscript({ isLive, hasTerminal }: { isLive: boolean; hasTerminal: boolean }): ReactElement {
  if (isLive && hasTerminal)
    return (
      <EmptyState title="The agent works in its terminal">
        <Link href="?view=terminal" className="link">
          Show the terminal
        </Link>
      </EmptyState>
    );
  return isLive ? (
    <EmptyState title="No output yet">Messages and tool calls of the agent appear here live.</EmptyState>
  ) : (
    <EmptyState title="No output in this attempt">It ended before the agent wrote anything.</EmptyState>
  );
}

/** The number of rows, and the state of the live connection. */
function StreamStatus({ total, isLive, connectionState }: StreamStatusProps): ReactElement {
  return (
    <p className={styles.connection}>
      <span className="numbers">{count(total, 'row')}</span>
      {isLive ? (
        <span className={styles.live} data-connection={connectionState}>
          {CONNECTION_LABELS[connectionState]}
        </span>
      ) : null}
    </p>
  );
}
