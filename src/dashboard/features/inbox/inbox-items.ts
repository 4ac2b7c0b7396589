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
