import { createElement, type ReactElement } from 'react';
import { areFigures } from '../../../../core/view/amounts.ts';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import type { ReportBlock, ReportPiece } from './markdown-blocks.ts';
import styles from './report-text.module.css';

/** A report as structured text without markup, links or images. */
export function ReportText({ blocks }: { blocks: readonly ReportBlock[] }): ReactElement {
  return (
    <article className={styles.text}>
      {blocks.map((block, index) => (
        // The blocks of a report are never reordered.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Block key={index} block={block} label={`Table ${index}`} />
      ))}
    </article>
  );
}

function Block({ block, label }: { block: ReportBlock; label: string }): ReactElement {
  switch (block.kind) {
    case 'heading':
      return createElement(`h${Math.min(block.level + 1, 4)}`, {}, <Pieces pieces={block.pieces} />);
    case 'paragraph':
      return (
        <p>
          <Pieces pieces={block.pieces} />
        </p>
      );
    case 'list':
      return (
        <ul className={styles.list}>
          {block.items.map((item) => (
            <li key={textOf(item)}>
              <Pieces pieces={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <ReportTable label={label} head={block.head} rows={block.rows} />;
    case 'quote':
      return <blockquote className={styles.quote}>{block.text}</blockquote>;
    case 'code':
      return (
        <ScrollArea label={label} className={styles.code}>
          <pre>{block.text}</pre>
        </ScrollArea>
      );
  }
}

type ReportTableProps = { label: string; head: ReportPiece[][]; rows: ReportPiece[][][] };

function ReportTable({ label, head, rows }: ReportTableProps): ReactElement {
  const hasHead = head.some((cell) => textOf(cell) !== '');
  const isFigures = head.map((_, column) => areFigures(rows.map((row) => textOf(row[column] ?? []))));
  return (
    // Scrollable content must be focusable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        {hasHead ? (
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th key={textOf(cell)} scope="col" data-figures={isFigures[column]}>
                  <Pieces pieces={cell} />
                </th>
              ))}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows may be equal and are never reordered
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells may be equal and are never reordered
                <td key={column} data-figures={isFigures[column]}>
                  <Pieces pieces={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Pieces({ pieces }: { pieces: readonly ReportPiece[] }): ReactElement {
  return (
    <>
      {pieces.map(({ kind, text }, index) => {
        const key = `${index} ${text}`;
        return kind === 'code' ? <code key={key}>{text}</code> : <span key={key}>{text}</span>;
      })}
    </>
  );
}

function textOf(pieces: readonly ReportPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}
