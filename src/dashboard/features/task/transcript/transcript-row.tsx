import { memo, type ReactElement } from 'react';
import { exactTime } from '../../../ui/amounts.tsx';
import { sinceStart } from './amount.ts';
import type { Item } from './fold.ts';
import { LineRow } from './line-row.tsx';
import { ToolRow } from './tool-row.tsx';
import styles from './transcript.module.css';

type TranscriptRowProps = {
  item: Item;
  startedAt: number;
  isOpen: boolean;
  isMarked: boolean;
  words: readonly string[];
  toggle(id: number): void;
};

/** One thing of a transcript beside the time since its attempt began. */
export const TranscriptRow = memo(function TranscriptRow(props: TranscriptRowProps): ReactElement {
  const { item, startedAt, isOpen, isMarked, words, toggle } = props;
  return (
    <div className={styles.row} data-marked={isMarked}>
      <time className={styles.time} dateTime={new Date(item.at).toISOString()} title={exactTime(item.at)}>
        {sinceStart(item.at - startedAt)}
      </time>
      {item.kind === 'tool' ? (
        <ToolRow item={item} isOpen={isOpen} words={words} toggle={() => toggle(item.id)} />
      ) : (
        <LineRow line={item.line} isOpen={isOpen} words={words} toggle={() => toggle(item.id)} />
      )}
    </div>
  );
});
