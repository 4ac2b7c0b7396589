import type { RunOverview } from '../../../schema/overview.ts';

/** Something that needs the user. */
export type InboxItem = RunOverview['attention'][number] & {
  key: string;
  run: string;
  title: string;
  project: string;
  projectId: string;
  recipe: string;
};
export type Grouping = 'project' | 'age';

/** The operation that resolves an item, its label and its key. */
export type Resolution = {
  label: string;
  operation: 'approve-run' | 'retry-run' | 'resume-runs' | 'answer-question';
  key: 'a' | 'r';
};

const HOUR = 3_600_000;
const AGES: readonly [number, string][] = [
  [HOUR, 'In the last hour'],
  [24 * HOUR, 'In the last day'],
  [7 * 24 * HOUR, 'In the last week'],
];
const OLDER = 'Older than a week';

/** All items, oldest first. */
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

/** The items in groups; the order is kept, and the group of the oldest item comes first. */
export function groupItems(items: readonly InboxItem[], by: Grouping, now: number): [string, InboxItem[]][] {
  const nameOf = (item: InboxItem) => (by === 'project' ? item.project : ageOf(now - new Date(item.since).getTime()));
  return [...Map.groupBy(items, nameOf)];
}

function ageOf(ms: number): string {
  return AGES.find(([most]) => ms < most)?.[1] ?? OLDER;
}

/** How an item is resolved: a plan or held work is approved, blocked work retried, a paused run resumed, a question answered. */
export function resolutionOf(what: InboxItem['what']): Resolution {
  switch (what) {
    case 'plan':
      return { label: 'Approve plan', operation: 'approve-run', key: 'a' };
    case 'held':
      return { label: 'Approve', operation: 'approve-run', key: 'a' };
    case 'blocked':
      return { label: 'Retry', operation: 'retry-run', key: 'r' };
    case 'question':
      return { label: 'Answer', operation: 'answer-question', key: 'a' };
    case 'paused':
      return { label: 'Resume', operation: 'resume-runs', key: 'r' };
  }
}
