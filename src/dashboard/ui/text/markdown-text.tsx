import { type ReactElement, type ReactNode, useMemo } from 'react';
import { type Inline, type MarkdownBlock, parseMarkdown } from './markdown.ts';
import styles from './markdown-text.module.css';

type MarkdownTextProps = {
  text: string;
  /** Renders a piece of plain text, such as with searched words marked. */
  render(text: string): ReactNode;
};

/** A message of an agent as structured text. */
export function MarkdownText({ text, render }: MarkdownTextProps): ReactElement {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a message are never reordered
        <Block key={index} block={block} render={render} />
      ))}
    </div>
  );
}

function Block({ block, render }: { block: MarkdownBlock; render(text: string): ReactNode }): ReactElement {
  switch (block.kind) {
    case 'heading':
      return (
        <p className={styles.heading} data-level={block.level}>
          <Inlines inlines={block.inlines} render={render} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Inlines inlines={block.inlines} render={render} />
        </p>
      );
    case 'item':
      return (
        <p className={styles.item} data-depth={block.depth}>
          <span className={styles.mark}>{block.mark}</span>
          <span>
            <Inlines inlines={block.inlines} render={render} />
          </span>
        </p>
      );
    case 'quote':
      return (
        <p className={styles.quote}>
          <Inlines inlines={block.inlines} render={render} />
        </p>
      );
    case 'code':
      return <pre className={styles.code}>{render(block.text)}</pre>;
    case 'rule':
      return <hr className={styles.rule} />;
  }
}

function Inlines({ inlines, render }: { inlines: readonly Inline[]; render(text: string): ReactNode }): ReactElement {
  return (
    <>
      {inlines.map(({ kind, text }, index) => {
        const key = `${index} ${kind}`;
        if (kind === 'code') return <code key={key}>{render(text)}</code>;
        if (kind === 'strong') return <strong key={key}>{render(text)}</strong>;
        return kind === 'em' ? <em key={key}>{render(text)}</em> : <span key={key}>{render(text)}</span>;
      })}
    </>
  );
}
