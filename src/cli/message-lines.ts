import type { TaskDocument } from '../schema/document.ts';
import { oneLine } from './clean-text.ts';
import type { Painter } from './symbols.ts';
import { shorten } from './text-width.ts';
import { momentText } from './when.ts';

const MOST_MESSAGES = 5;

/** The last things that a person told the agents of a run, a line each. */
export function messageLines(
  tasks: readonly TaskDocument[],
  { columns, colors }: { columns: number; colors: Painter },
): string[] {
  const all = tasks.flatMap(({ key, messages = [] }) => messages.map((message) => ({ key, ...message })));
  if (all.length === 0) return [];
  const shown = all.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-MOST_MESSAGES);
  const left = all.length - shown.length;
  return [
    colors.bold('Messages'),
    ...(left > 0 ? [`  ${colors.dim(`${left} earlier ones are in manyhands show --json`)}`] : []),
    ...shown.map(
      ({ key, at, text }) =>
        `  ${key}  ${colors.dim(momentText(Date.parse(at)))}  ${shorten(oneLine(text), Math.max(20, columns - key.length - 26))}`,
    ),
  ];
}
