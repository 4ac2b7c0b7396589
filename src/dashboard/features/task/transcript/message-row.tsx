import type { ReactElement } from 'react';
import { moneyText } from '../../../../core/view/amounts.ts';
import type { TranscriptLine } from '../../../../schema/transcript-page.ts';
import { Icon } from '../../../ui/text/icon.tsx';
import { field } from './fold-rows.ts';
import { firstLine } from './one-line.ts';
import { LongText, Marked } from './row-text.tsx';
import styles from './transcript-rows.module.css';

/** Labels of rows that are not messages of the agent. */
const LABELS: Readonly<Record<string, string>> = {
  reasoning: 'Reasoning',
  'tool-result': 'Result of an earlier call',
  'file-change': 'File',
  session: 'Session',
  usage: 'Usage',
  retry: 'Retry',
  'permission-denied': 'Permission denied',
  question: 'Question',
  result: 'Result',
  status: 'Status',
  milestone: 'Milestone',
  unknown: 'Raw output',
  truncated: 'Omitted',
  message: 'You',
  note: 'Note of Manyhands',
  engine: 'Manyhands',
};

const FOLDABLE: ReadonlySet<string> = new Set(['reasoning', 'tool-result', 'unknown']);

/** What a person or an agent wrote; the rest is printed by programs. */
const MARKDOWN: ReadonlySet<string> = new Set(['text', 'result', 'question', 'message']);

type LineRowProps = { line: TranscriptLine; isOpen: boolean; words: readonly string[]; toggle(): void };

/** A row that is not a tool call: a message of the agent, its reasoning, an engine note, or a message of the user. */
export function LineRow(props: LineRowProps): ReactElement {
  const { line, words } = props;
  if (isFoldable(line)) return <Folded {...props} />;
  const label = LABELS[line.kind];
  const text = line.kind === 'usage' ? (usageText(line.data) ?? 'usage unknown') : line.text;
  return (
    <div className={styles.line} data-kind={line.kind} data-stderr={line.stderr}>
      {label === undefined ? null : <span className={styles.label}>{label}</span>}
      {line.stderr === true ? <span className={styles.channel}>stderr</span> : null}
      {text === '' ? (
        <span className="quiet">(empty)</span>
      ) : (
        <LongText text={text} words={words} plain markdown={MARKDOWN.has(line.kind) && line.stderr !== true} />
      )}
    </div>
  );
}

function Folded({ line, isOpen, words, toggle }: LineRowProps): ReactElement {
  return (
    <div className={styles.line} data-kind={line.kind} data-stderr={line.stderr}>
      <button type="button" className={styles.foldHead} aria-expanded={isOpen} onClick={toggle}>
        <Icon name="chevron" size={12} />
        <span className={styles.label}>{LABELS[line.kind] ?? line.kind}</span>
        {line.stderr === true ? <span className={styles.channel}>stderr</span> : null}
        {isOpen ? null : (
          <span className={styles.argument}>
            <Marked text={firstLine(line.text)} words={words} />
          </span>
        )}
      </button>
      {isOpen ? (
        <div className={styles.inside}>
          <LongText text={line.text} words={words} markdown={line.kind === 'reasoning'} />
        </div>
      ) : null}
    </div>
  );
}

/** Whether a row is collapsed to one line. */
function isFoldable({ kind, text }: TranscriptLine): boolean {
  if (!FOLDABLE.has(kind)) return false;
  return kind === 'reasoning' || text.length > 160 || text.includes('\n');
}

/** A usage row as text; undefined if it has no cost. */
function usageText(data: unknown): string | undefined {
  const cost = field(data, 'costUsd');
  const tokens = [field(data, 'inputTokens'), field(data, 'outputTokens')];
  const turns = field(data, 'turns');
  const known = tokens.filter((each) => typeof each === 'number');
  if (typeof cost !== 'number') return undefined;
  const parts = [
    ...(typeof turns === 'number' && turns > 0 ? [`turn ${turns}`] : []),
    ...(known.length > 0 ? [`${known.reduce((sum, each) => sum + each, 0).toLocaleString('en-US')} tokens`] : []),
    moneyText(cost),
  ];
  return parts.join(' · ');
}
