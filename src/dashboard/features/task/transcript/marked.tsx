import type { ReactElement } from 'react';
import { printedText } from '../../../ui/seen-text.ts';
import styles from './rows.module.css';
import { splitAt } from './split-at.ts';

/** A text in which the words that are looked for stand out. */
export function Marked({ text, words }: { text: string; words: readonly string[] }): ReactElement {
  const printed = printedText(text);
  if (words.length === 0) return <>{printed}</>;
  return (
    <>
      {splitAt(printed, words).map(({ part, at, isHit }) =>
        isHit ? (
          <mark key={at} className={styles.mark}>
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </>
  );
}
