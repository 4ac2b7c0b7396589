import type { ReactElement } from 'react';
import { seenText } from '../../../ui/seen-text.ts';
import styles from './diff.module.css';
import { colours } from './highlight.ts';
import type { DiffFile, DiffLine, Hunk } from './parse.ts';
import type { Side } from './selection.ts';

const LONGEST = 4_000;

type CodeProps = { file: DiffFile; hunk: Hunk; line: DiffLine; side: Side };

/** The text of a line in the colours of its language. */
export function Code({ file, hunk, line, side }: CodeProps): ReactElement {
  const tokens = colours(file, hunk)?.[side].get(line[side] ?? 0);
  const rest = line.text.length - LONGEST;
  if (tokens === undefined || rest > 0)
    return (
      <span className={styles.code}>
        {seenText(line.text.slice(0, LONGEST))}
        {rest > 0 ? <em> … {rest.toLocaleString('en-US')} more characters</em> : null}
      </span>
    );
  let at = 0;
  return (
    <span className={styles.code}>
      {tokens.map(({ text, scope }) => {
        const key = at;
        at += text.length;
        return scope === null ? (
          seenText(text)
        ) : (
          <span key={key} data-scope={scope}>
            {seenText(text)}
          </span>
        );
      })}
    </span>
  );
}
