import type { MouseEvent, ReactElement } from 'react';
import { visibleText } from '../text/visible-text.ts';
import styles from './diff.module.css';
import { isIn } from './diff-cursor.ts';
import type { DiffRow } from './diff-rows.ts';
import { highlightHunk } from './highlight.ts';
import type { Selection, Side } from './line-selection.ts';
import type { DiffFile, DiffLine, Hunk } from './parse-diff.ts';
import type { LineActions } from './use-diff-keys.ts';

type RowProps<R extends 'line' | 'pair'> = {
  row: Extract<DiffRow, { row: R }>;
  cursor: Side | undefined;
  selected: Selection | undefined;
  actions: LineActions;
};

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', deleted: '−' };

/** A line with both line numbers. */
export function UnifiedRow({ row, cursor, selected, actions }: RowProps<'line'>): ReactElement {
  const { line, file, hunk } = row;
  const side: Side = line.new === null ? 'old' : 'new';
  const selectLine = (event: MouseEvent) => actions.selectLine(row, side, event.shiftKey);
  return (
    <div
      className={styles.unified}
      data-kind={line.kind}
      data-held={row.isHeld && line.kind !== 'same'}
      data-cursor={cursor !== undefined}
      data-selected={isIn(selected, file.path, { side, line: line[side] })}
    >
      <LineNumber number={line.old} selectLine={side === 'old' ? selectLine : undefined} />
      <LineNumber number={line.new} selectLine={side === 'new' ? selectLine : undefined} />
      <span className={styles.sign} aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <Code file={file} hunk={hunk} line={line} side={side} />
    </div>
  );
}

/** The old and the new line side by side. */
export function PairRow({ row, cursor, selected, actions }: RowProps<'pair'>): ReactElement {
  return (
    <div className={styles.pair}>
      {(['old', 'new'] as const).map((side) => {
        const line = side === 'old' ? row.left : row.right;
        return (
          <div
            key={side}
            className={styles.half}
            data-kind={line?.kind ?? 'none'}
            data-held={row.isHeld && line !== null && line.kind !== 'same'}
            data-cursor={cursor === side}
            data-selected={line !== null && isIn(selected, row.file.path, { side, line: line[side] })}
          >
            <LineNumber
              number={line?.[side] ?? null}
              selectLine={(event) => actions.selectLine(row, side, event.shiftKey)}
            />
            {line === null ? <span /> : <Code file={row.file} hunk={row.hunk} line={line} side={side} />}
          </div>
        );
      })}
    </div>
  );
}

type LineNumberProps = { number: number | null; selectLine: ((event: MouseEvent) => void) | undefined };

/** A click comments on the line; Shift-click on all lines from the last clicked one. */
function LineNumber({ number, selectLine }: LineNumberProps): ReactElement {
  if (number === null || selectLine === undefined) return <span className={styles.number}>{number}</span>;
  return (
    <button
      type="button"
      className={styles.number}
      tabIndex={-1}
      aria-label={`Comment on line ${number}`}
      title="Comment; Shift-click for several lines"
      onClick={selectLine}
    >
      {number}
    </button>
  );
}

const LONGEST = 4_000;

type CodeProps = { file: DiffFile; hunk: Hunk; line: DiffLine; side: Side };

/** The text of a line with syntax highlighting. */
function Code({ file, hunk, line, side }: CodeProps): ReactElement {
  const tokens = highlightHunk(file, hunk)?.[side].get(line[side] ?? 0);
  const rest = line.text.length - LONGEST;
  if (tokens === undefined || rest > 0)
    return (
      <span className={styles.code}>
        {visibleText(line.text.slice(0, LONGEST))}
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
          visibleText(text)
        ) : (
          <span key={key} data-scope={scope}>
            {visibleText(text)}
          </span>
        );
      })}
    </span>
  );
}
