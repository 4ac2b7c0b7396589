import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/controls/button.tsx';
import { MarkdownText } from '../../../ui/text/markdown-text.tsx';
import { splitMatches } from '../../../ui/text/split-matches.ts';
import { printedText } from '../../../ui/text/visible-text.ts';
import styles from './transcript-rows.module.css';

const SHOWN = 12_000;

type LongTextProps = { text: string; words?: readonly string[]; plain?: boolean; markdown?: boolean };

/** A text; a very long one is truncated until the user expands it. */
export function LongText({ text, words = [], plain = false, markdown = false }: LongTextProps): ReactElement {
  const [shown, setShown] = useState(SHOWN);
  const rest = text.length - shown;
  return (
    <>
      {markdown ? (
        <MarkdownText text={text.slice(0, shown)} render={(piece) => <Marked text={piece} words={words} />} />
      ) : (
        <div className={plain ? styles.plain : styles.code}>
          <Marked text={text.slice(0, shown)} words={words} />
        </div>
      )}
      {rest > 0 ? (
        <Button weight="quiet" onClick={() => setShown(shown + SHOWN * 20)}>
          Show {Math.min(rest, SHOWN * 20).toLocaleString('en-US')} more characters
        </Button>
      ) : null}
    </>
  );
}

/** A text with the searched words marked. */
export function Marked({ text, words }: { text: string; words: readonly string[] }): ReactElement {
  const printed = printedText(text);
  if (words.length === 0) return <>{printed}</>;
  return (
    <>
      {splitMatches(printed, words).map(({ text: piece, at, isMatch }) =>
        isMatch ? (
          <mark key={at} className={styles.mark}>
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </>
  );
}
