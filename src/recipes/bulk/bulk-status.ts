import { lastAttempt, type RunState, type TaskStatus } from '../../core/run/state.ts';
import { runStatus } from '../../core/view/run-status.ts';
import type { BulkStatus, ItemStatus } from '../../operations/contracts/bulk-contracts.ts';
import type { BulkInput, BulkItem } from '../../schema/work-file.ts';

const WORDS: Record<TaskStatus, ItemStatus> = {
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

/** The items that were asked for, each with the key of its task. */
export function selectedItems({ items, only }: BulkInput): { item: BulkItem; key: string }[] {
  const wanted = only === undefined ? undefined : new Set(only);
  const all = items.map((item, index) => ({ item, key: itemKey(index) }));
  return wanted === undefined ? all : all.filter(({ item }) => wanted.has(item.id));
}

/** How each item of a bulk run stands, from the state alone. */
export function bulkStatus(state: RunState, input: BulkInput): BulkStatus {
  const counts: BulkStatus['counts'] = { waiting: 0, running: 0, done: 0, failed: 0, stuck: 0, cancelled: 0 };
  const failed: BulkStatus['failed'] = [];
  const uncovered = new Set<string>();
  const wanted = selectedItems(input);
  const isOver = state.status.kind === 'ended';
  for (const { item, key } of wanted) {
    const task = state.tasks[key];
    const word = task === undefined ? (isOver ? 'cancelled' : 'waiting') : WORDS[task.phase.status];
    counts[word] += 1;
    if (word === 'done') continue;
    for (const file of item.files) uncovered.add(file);
    if (word === 'waiting' || word === 'running') continue;
    failed.push({
      item,
      task: key,
      status: word,
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
    total: wanted.length,
    counts,
    failed,
    uncovered: [...uncovered].sort(),
  };
}

/** The key of an item's task: its place in the file, which stays the same when only some are asked for. */
function itemKey(index: number): string {
  return `item/${index + 1}`;
}

function reasonOf(state: RunState, key: string): string {
  const phase = state.tasks[key]?.phase;
  if (phase === undefined) return 'it never started';
  if (phase.status === 'held') return phase.hold.reason;
  return 'reason' in phase ? phase.reason : '';
}
