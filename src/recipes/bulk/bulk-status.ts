import { lastAttempt, type RunState, type TaskStatus } from '../../core/run/state.ts';
import { runStatus } from '../../core/view/run-status.ts';
import type { BulkInput, BulkItem } from '../../schema/work-file.ts';
import type { BulkStatus, ItemStatus } from '../item-status.ts';

const ITEM_STATUSES: Record<TaskStatus, ItemStatus> = {
  waiting: 'waiting',
  ready: 'waiting',
  running: 'running',
  analyzing: 'running',
  landing: 'running',
  verifying: 'running',
  conflicted: 'running',
  held: 'stuck',
  blocked: 'stuck',
  done: 'done',
  failed: 'failed',
  skipped: 'failed',
  cancelled: 'cancelled',
};

/** The selected items, each with the key of its task. */
export function selectedItems({ items, only }: BulkInput): { item: BulkItem; key: string }[] {
  const selected = only === undefined ? undefined : new Set(only);
  const all = items.map((item, index) => ({ item, key: itemKey(index) }));
  return selected === undefined ? all : all.filter(({ item }) => selected.has(item.id));
}

/** The status of each item of a bulk run, from the state alone. */
export function bulkStatus(state: RunState, input: BulkInput): BulkStatus {
  const counts: BulkStatus['counts'] = { waiting: 0, running: 0, done: 0, failed: 0, stuck: 0, cancelled: 0 };
  const failed: BulkStatus['failed'] = [];
  const uncovered = new Set<string>();
  const selected = selectedItems(input);
  const isOver = state.status.kind === 'ended';
  for (const { item, key } of selected) {
    const task = state.tasks[key];
    const status = task === undefined ? (isOver ? 'cancelled' : 'waiting') : ITEM_STATUSES[task.phase.status];
    counts[status] += 1;
    if (status === 'done') continue;
    for (const file of item.files) uncovered.add(file);
    if (status === 'waiting' || status === 'running') continue;
    failed.push({
      item,
      task: key,
      status,
      reason: reasonOf(state, key),
      attempts: task?.attempts.length ?? 0,
      agent: task === undefined ? null : (lastAttempt(task)?.agent ?? null),
    });
  }
  const { run, title } = state.start;
  return {
    run,
    title,
    status: runStatus(state),
    total: selected.length,
    counts,
    failed,
    uncovered: [...uncovered].sort(),
  };
}

/** The key of an item's task: its position in the file, which stays the same when only some are selected. */
function itemKey(index: number): string {
  return `item/${index + 1}`;
}

function reasonOf(state: RunState, key: string): string {
  const phase = state.tasks[key]?.phase;
  if (phase === undefined) return 'it never started';
  if (phase.status === 'held') return phase.hold.reason;
  return 'reason' in phase ? phase.reason : '';
}
