import type { RunOverview } from '../../../schema/overview.ts';

/** One thing that waits for a person. */
export type InboxItem = RunOverview['attention'][number] & {
  key: string;
  run: string;
  title: string;
  project: string;
  projectId: string;
  recipe: string;
};
export type Grouping = 'project' | 'age';

/** What a person can do about it here: the operation that settles it, and its word. */
export type Resolution = { label: string; operation: 'approve-run' | 'retry-run' | 'resume-runs'; key: 'a' | 'r' };

const HOUR = 3_600_000;
const AGES: readonly [number, string][] = [
  [HOUR, 'In the last hour'],
  [24 * HOUR, 'In the last day'],
  [7 * 24 * HOUR, 'In the last week'],
];
const OLDER = 'Older than a week';

/** Everything that waits, the oldest first. */
export function inboxItems(runs: readonly RunOverview[]): InboxItem[] {
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
export function groupItems(items: readonly InboxItem[], by: Grouping, now: number): [string, InboxItem[]][] {
  const nameOf = (item: InboxItem) => (by === 'project' ? item.project : ageOf(now - new Date(item.since).getTime()));
  return [...Map.groupBy(items, nameOf)];
}

function ageOf(ms: number): string {
  return AGES.find(([most]) => ms < most)?.[1] ?? OLDER;
}

/** What settles an item: approve what is held or planned, retry what is blocked, resume what is paused. */
export function resolutionOf(what: InboxItem['what']): Resolution {
  switch (what) {
    case 'plan':
      return { label: 'Approve plan', operation: 'approve-run', key: 'a' };
    case 'held':
      return { label: 'Approve', operation: 'approve-run', key: 'a' };
    case 'blocked':
      return { label: 'Retry', operation: 'retry-run', key: 'r' };
    case 'paused':
      return { label: 'Resume', operation: 'resume-runs', key: 'r' };
  }
}
