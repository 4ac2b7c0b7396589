import type { TranscriptLine } from '../../../schema/transcript-page.ts';

/** What stands before a row, so that it is never taken for what the agent said. */
export const LABELS: Readonly<Record<string, string>> = {
  reasoning: 'Reasoning',
  'tool-result': 'Result of an earlier call',
  'file-change': 'File',
  session: 'Session',
  usage: 'Used',
  retry: 'Retry',
  'permission-denied': 'Not allowed',
  question: 'Question',
  result: 'Result',
  unknown: 'Raw output',
  truncated: 'Left out',
  message: 'You',
  engine: 'Manyhands',
};

const FOLDABLE: ReadonlySet<string> = new Set(['reasoning', 'tool-result', 'unknown']);

/** Whether a row is one line until it is opened. */
export function isFoldable({ kind, text }: TranscriptLine): boolean {
  if (!FOLDABLE.has(kind)) return false;
  return kind === 'reasoning' || text.length > 160 || text.includes('\n');
}
