import type { OperationOutput } from '../../../operations/all.ts';

type Result = OperationOutput<'search'>;
type Hit = Result['hits'][number];
export type FoundTask = Result['tasks'][number];

/** The hits of one task, the newest first. */
export type HitGroup = { key: string; run: string; title: string; task: string; taskTitle: string; hits: Hit[] };

/** The hits by task, in the order of the first hit. */
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
