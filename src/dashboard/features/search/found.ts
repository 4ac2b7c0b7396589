import type { OperationOutput } from '../../../operations/contracts.ts';

type Result = OperationOutput<'search'>;
type Hit = Result['hits'][number];
export type FoundTask = Result['tasks'][number];

/** The hits of one task, the newest first. */
export type HitGroup = { key: string; run: string; title: string; task: string; taskTitle: string; hits: Hit[] };

/** A piece of a text; one that was looked for is marked. */
export type Piece = { text: string; isHit: boolean; at: number };

/** The hits by task, in the order in which the tasks were found first. */
export function groupHits(pages: readonly Result[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of pages.flatMap(({ hits }) => hits)) {
    const { run, title, task, taskTitle } = hit;
    const key = `${run} ${task}`;
    const group = groups.get(key) ?? { key, run, title, task, taskTitle, hits: [] };
    groups.set(key, group);
    group.hits.push(hit);
  }
  return [...groups.values()];
}

/** Cuts a text where the words that were looked for begin and end, whatever their case. */
export function markWords(text: string, query: string): Piece[] {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return text === '' ? [] : [{ text, isHit: false, at: 0 }];
  const pattern = new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isHit: false, at });
    pieces.push({ text: match[0], isHit: true, at: match.index });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isHit: false, at });
  return pieces;
}
