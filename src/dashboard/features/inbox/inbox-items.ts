import { needsYou, type WaitingEntry } from '../../../core/view/needs-you.ts';
import type { RunOverview } from '../../../schema/overview.ts';

/** Something that needs the user: what waits in a run, or a run that failed. */
export type InboxItem = { key: string; since: string; run: RunOverview; waiting?: WaitingEntry['item'] };
export type Grouping = 'project' | 'age';

const HOUR = 3_600_000;
const AGES: readonly [number, string][] = [
  [HOUR, 'In the last hour'],
  [24 * HOUR, 'In the last day'],
  [7 * 24 * HOUR, 'In the last week'],
];
const OLDER = 'Older than a week';

/** All that needs the user, oldest first. */
export function inboxItems(runs: readonly RunOverview[], now: number): InboxItem[] {
  const { waiting, failed } = needsYou(runs, now);
  return [
    ...waiting.map(({ run, item }) => ({
      key: [run.run, item.task, item.what, item.question ?? item.hold ?? item.subRun ?? item.track].join(' '),
      since: item.since,
      run,
      waiting: item,
    })),
    ...failed.map((run) => ({ key: run.run, since: run.endedAt ?? run.updatedAt, run })),
  ].sort((a, b) => a.since.localeCompare(b.since));
}

/** The items in groups; the order is kept, and the group of the oldest item comes first. */
export function groupItems(items: readonly InboxItem[], by: Grouping, now: number): [string, InboxItem[]][] {
  const nameOf = ({ run, since }: InboxItem) =>
    by === 'project' ? run.project : ageOf(now - new Date(since).getTime());
  return [...Map.groupBy(items, nameOf)];
}

function ageOf(ms: number): string {
  return AGES.find(([most]) => ms < most)?.[1] ?? OLDER;
}
