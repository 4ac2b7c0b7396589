import { memo, type ReactElement, useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { duration, exactTime } from '../../../ui/text/amounts.tsx';
import { searchWords } from '../../../ui/text/split-matches.ts';
import type { Item } from './fold-rows.ts';
import { LineRow } from './message-row.tsx';
import { ToolGroupRow, ToolRow } from './tool-row.tsx';
import styles from './transcript.module.css';
import type { AttemptRef } from './use-transcript.ts';
import type { Find } from './use-transcript-find.ts';
import type { TranscriptList } from './use-transcript-list.ts';

type RowsProps = {
  view: TranscriptList;
  find: Find;
  which: AttemptRef;
  startedAt: number;
  markedRow: number | undefined;
};

/** The visible rows; opened rows stay open. */
export function TranscriptRows({ view, find, which, startedAt, markedRow }: RowsProps): ReactElement {
  const { items, list, gaps, stopFollowing } = view;
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const words = useMemo(() => searchWords(find.text), [find.text]);
  const toggle = useCallback(
    (id: number) => {
      stopFollowing();
      setToggled((was) => new Set(was.has(id) ? [...was].filter((each) => each !== id) : [...was, id]));
    },
    [stopFollowing],
  );
  return (
    <div className={styles.sizer} style={{ height: list.getTotalSize() }}>
      {gaps.before > 0 ? <div className={styles.gap} style={{ top: 0, height: gaps.before }} /> : null}
      {list.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        const isMarked = markedRow !== undefined && item.rows.includes(markedRow);
        return (
          <div
            key={key}
            ref={list.measureElement}
            data-index={index}
            className={styles.place}
            style={{ transform: `translateY(${start}px)` }}
          >
            <TranscriptRow
              item={item}
              attempt={which.attempt}
              startedAt={startedAt}
              isOpen={toggled.has(item.id) !== opensWhenMarked(item, isMarked)}
              isMarked={isMarked}
              words={words}
              toggle={toggle}
            />
          </div>
        );
      })}
      {gaps.after > 0 ? <div className={styles.gap} style={{ bottom: 0, height: gaps.after }} /> : null}
    </div>
  );
}

/** A row that a search leads to is opened, because the hit may be in its collapsed part. */
function opensWhenMarked(item: Item, isMarked: boolean): boolean {
  return isMarked && (item.kind !== 'line' || item.line.kind !== 'text');
}

type TranscriptRowProps = {
  item: Item;
  attempt: number;
  startedAt: number;
  isOpen: boolean;
  isMarked: boolean;
  words: readonly string[];
  toggle(id: number): void;
};

/** One item of a transcript with the time since the start of its attempt, which is the address of the row. */
const TranscriptRow = memo(function TranscriptRow(props: TranscriptRowProps): ReactElement {
  const { item, attempt, startedAt, isOpen, isMarked, words, toggle } = props;
  return (
    <div className={styles.row} data-marked={isMarked}>
      <Link
        href={`?view=transcript&attempt=${attempt}&row=${item.rows[0] ?? 0}`}
        className={styles.time}
        title={`${exactTime(item.at)}; a link to this row`}
      >
        <time dateTime={new Date(item.at).toISOString()}>{sinceStart(item.at - startedAt)}</time>
      </Link>
      {item.kind === 'tool' ? (
        <ToolRow item={item} isOpen={isOpen} words={words} toggle={() => toggle(item.id)} />
      ) : item.kind === 'tools' ? (
        <ToolGroupRow group={item} isOpen={isOpen} words={words} toggle={() => toggle(item.id)} />
      ) : (
        <LineRow line={item.line} isOpen={isOpen} words={words} toggle={() => toggle(item.id)} />
      )}
    </div>
  );
});

/** The time since the start of the attempt. */
function sinceStart(ms: number): string {
  return `+${duration(ms)}`;
}
