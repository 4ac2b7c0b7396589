import type { Resolution } from './scenario-step.ts';

type Side = 'ours' | 'base' | 'theirs';
type Hunk = { side: Side; raw: string[]; ours: string[]; theirs: string[] };

const BEGIN = /^<{7}(?: |\r?\n|$)/;
const BASE = /^\|{7}(?: |\r?\n|$)/;
const MIDDLE = /^={7}(?:\r?\n|$)/;
const END = /^>{7}(?: |\r?\n|$)/;

/** The text with every complete conflict resolved; text that only resembles a marker is unchanged. */
export function settleConflicts(text: string, how: Resolution): string {
  const settled: string[] = [];
  let hunk: Hunk | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    if (BEGIN.test(line)) {
      settled.push(...(hunk?.raw ?? []));
      hunk = { side: 'ours', raw: [line], ours: [], theirs: [] };
    } else if (hunk === undefined) {
      settled.push(line);
    } else if (END.test(line) && hunk.side === 'theirs') {
      settled.push(...(how === 'theirs' ? [] : hunk.ours), ...(how === 'ours' ? [] : hunk.theirs));
      hunk = undefined;
    } else {
      read(hunk, line);
    }
  }
  return [...settled, ...(hunk?.raw ?? [])].join('');
}

function read(hunk: Hunk, line: string): void {
  hunk.raw.push(line);
  if (BASE.test(line) && hunk.side === 'ours') hunk.side = 'base';
  else if (MIDDLE.test(line) && hunk.side !== 'theirs') hunk.side = 'theirs';
  else if (hunk.side !== 'base') hunk[hunk.side].push(line);
}
