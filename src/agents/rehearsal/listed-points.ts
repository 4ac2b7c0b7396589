/** A point of a to-do list as a rehearsed planner reads it: its text, and the nested lines below it. */
export type Point = { text: string; more: string[] };

const GOAL_HEADING = '## What is wanted';
const SECTION = /^## (What is known|Why the last list was refused|The checks|Instructions of this project|How to make)/;
const ENTRY = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;
const FENCE = /^\s*(```|~~~)/;

/** The outermost unchecked points of the prompt's section that states the goal. */
export function listedPoints(prompt: string): Point[] {
  const lines = prompt.split(/\r?\n/);
  const start = lines.indexOf(GOAL_HEADING) + 1;
  const length = lines.slice(start).findIndex((line) => SECTION.test(line));
  if (start === 0) return [];
  const entries = entriesOf(lines.slice(start, length < 0 ? undefined : start + length));
  const outermost = Math.min(...entries.map(({ indent }) => indent));
  const points: (Point & { isDone: boolean })[] = [];
  for (const { indent, text, isDone } of entries) {
    if (indent === outermost) points.push({ text, more: [], isDone });
    else if (!isDone) points.at(-1)?.more.push(text);
  }
  return points.filter(({ isDone }) => !isDone).map(({ text, more }) => ({ text, more }));
}

type Entry = { indent: number; text: string; isDone: boolean };

function entriesOf(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const entry = fence === undefined ? ENTRY.exec(line) : null;
    if (entry === null) continue;
    const [, space = '', tick = '', text = ''] = entry;
    entries.push({ indent: space.replaceAll('\t', '    ').length, text: text.trim(), isDone: /x/i.test(tick) });
  }
  return entries;
}
