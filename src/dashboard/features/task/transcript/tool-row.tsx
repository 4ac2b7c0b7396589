import type { ReactElement } from 'react';
import { Icon } from '../../../ui/text/icon.tsx';
import type { ToolItem } from './fold-rows.ts';
import { firstLine, mainArgument } from './one-line.ts';
import { LongText, Marked } from './row-text.tsx';
import styles from './transcript-rows.module.css';

type ToolRowProps = { item: ToolItem; isOpen: boolean; words: readonly string[]; toggle(): void };

/** A tool call on one line: name, main argument, repetitions, and the first line of its result. */
export function ToolRow({ item, isOpen, words, toggle }: ToolRowProps): ReactElement {
  const { result } = item;
  const argument = mainArgument(item.input);
  return (
    <div className={styles.tool} data-error={result?.isError === true}>
      <button type="button" className={styles.toolHead} aria-expanded={isOpen} onClick={toggle}>
        <Icon name="chevron" size={12} />
        <span className={styles.toolName}>{item.name}</span>
        <span className={styles.argument}>
          <Marked text={argument} words={words} />
        </span>
        {item.times > 1 ? <span className={styles.times}>× {item.times}</span> : null}
        {result?.isError === true ? <span className={styles.error}>failed</span> : null}
      </button>
      {isOpen ? <ToolDetails item={item} words={words} /> : <ToolResultLine item={item} words={words} />}
    </div>
  );
}

function ToolResultLine({ item, words }: { item: ToolItem; words: readonly string[] }): ReactElement | null {
  const line = item.result === null ? '' : firstLine(item.result.text);
  if (line === '') return null;
  return (
    <p className={styles.outcome}>
      <Marked text={line} words={words} />
    </p>
  );
}

function ToolDetails({ item, words }: { item: ToolItem; words: readonly string[] }): ReactElement {
  return (
    <div className={styles.inside}>
      <p className={styles.insideHead}>Input</p>
      <LongText text={inputText(item.input)} words={words} />
      <p className={styles.insideHead}>{item.times > 1 ? 'Last result' : 'Result'}</p>
      {item.result === null ? (
        <p className="quiet">None yet.</p>
      ) : (
        <LongText text={item.result.text === '' ? '(empty)' : item.result.text} words={words} />
      )}
    </div>
  );
}

function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  return JSON.stringify(input, null, 2) ?? '(none)';
}
