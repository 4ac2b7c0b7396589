import type { RunOverview } from '../../../schema/overview.ts';

/** One thing that waits for a person. */
export type Waiting = RunOverview['attention'][number] & {
  key: string;
  run: string;
  title: string;
  project: string;
  projectId: string;
  recipe: string;
};
export type Grouping = 'project' | 'age';

/** What a person can do about it here: the operation that settles it, and its word. */
export type Settling = { word: string; operation: 'approve-run' | 'retry-run' | 'resume-runs'; key: 'a' | 'r' };

const HOUR = 3_600_000;
const AGES: readonly [number, string][] = [
  [HOUR, 'In the last hour'],
  [24 * HOUR, 'In the last day'],
  [7 * 24 * HOUR, 'In the last week'],
];
const OLDER = 'Older than a week';

/** Everything that waits, the oldest first. */
export function waitingIn(runs: readonly RunOverview[]): Waiting[] {
  return runs
    .flatMap(({ run, title, project, projectId, recipe, attention }) =>
      attention.map((item, index) => ({
        ...item,
        key: `${run} ${item.task ?? ''} ${item.what} ${index}`,
        run,
        title,
        project,
        projectId,
        recipe,
      })),
    )
    .sort((a, b) => a.since.localeCompare(b.since));
}

/** The same in groups; each keeps the order, and the group of the oldest comes first. */
export function groupWaiting(items: readonly Waiting[], by: Grouping, now: number): [string, Waiting[]][] {
  const nameOf = (item: Waiting) => (by === 'project' ? item.project : ageOf(now - new Date(item.since).getTime()));
  return [...Map.groupBy(items, nameOf)];
}

function ageOf(ms: number): string {
  return AGES.find(([most]) => ms < most)?.[1] ?? OLDER;
}

/** What settles an item: approve what is held or planned, retry what is blocked, resume what is paused. */
export function settlingOf(what: Waiting['what']): Settling {
  switch (what) {
    case 'plan':
      return { word: 'Approve plan', operation: 'approve-run', key: 'a' };
    case 'held':
      return { word: 'Approve', operation: 'approve-run', key: 'a' };
    case 'blocked':
      return { word: 'Retry', operation: 'retry-run', key: 'r' };
    case 'paused':
      return { word: 'Resume', operation: 'resume-runs', key: 'r' };
  }
}
