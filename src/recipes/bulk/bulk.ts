import { isOpen, lastAttempt, type RunState, type TaskState, type TaskStatus } from '../../core/run/state.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { withoutSyntax } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Config } from '../../schema/config.ts';
import type { GateSpec } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { BulkInput, type BulkItem } from '../../schema/work-file.ts';
import { describeEvidence, redOnBase, requiringGreenBase } from '../base-red.ts';
import type { BulkStatus, ItemStatus } from '../item-status.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { oneLine, taskSpec, withOwnCommands } from '../task-spec.ts';
import { bulkWorkFile } from './bulk-file.ts';
import { firstParagraph, itemTitle } from './bulk-text.ts';

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

/** Many small independent edits: each item a task of its own, with gates on its own files, landed in batches. */
export const bulk: Recipe<BulkInput> = requiringGreenBase({
  name: 'bulk',
  version: 1,
  input: BulkInput,
  form: {
    title: 'Bulk',
    summary: 'Many small pieces of work that do not depend on each other.',
    file: true,
  },
  workFile: bulkWorkFile,
  title: (input) =>
    input.items.length === 1
      ? oneLine(firstParagraph(input.items[0]?.prompt ?? 'An item'))
      : `${input.items.length} items`,
  itemStatus: (run, input) => bulkStatus(run, input),
  unfold: (run, input, ended) => (ended === undefined ? begin(run, input) : { add: freed(run, input, ended) }),
});

function begin(run: RunState, input: BulkInput): Unfolding {
  return { add: turnsOf(input).first.map((entry) => itemSpec(run, entry)) };
}

/** The items that waited for this one, and wait for no other. */
function freed(run: RunState, input: BulkInput, ended: TaskState): TaskSpec[] {
  const { after, before } = turnsOf(input);
  const hasEnded = (key: TaskKey) => {
    const task = run.tasks[key];
    return task !== undefined && !isOpen(task);
  };
  return (after.get(ended.spec.key) ?? [])
    .filter(({ key }) => before.get(key)?.every(hasEnded))
    .map((entry) => itemSpec(run, entry));
}

type Entry = { item: BulkItem; key: TaskKey };
type Turns = { first: Entry[]; after: Map<TaskKey, Entry[]>; before: Map<TaskKey, TaskKey[]> };

const known = new WeakMap<BulkInput, Turns>();

/** Items that name the same file run one after the other, whatever the outcome: in parallel they would only conflict. */
function turnsOf(input: BulkInput): Turns {
  const turns = known.get(input) ?? inTurns(fairly(selectedItems(input)));
  known.set(input, turns);
  return turns;
}

function inTurns(entries: readonly Entry[]): Turns {
  const turns: Turns = { first: [], after: new Map(), before: new Map() };
  const last = new Map<string, TaskKey>();
  for (const entry of entries) {
    const before = [...new Set(entry.item.files.flatMap((file) => last.get(file) ?? []))];
    if (before.length === 0) turns.first.push(entry);
    else turns.before.set(entry.key, before);
    for (const key of before) turns.after.set(key, [...(turns.after.get(key) ?? []), entry]);
    for (const file of entry.item.files) last.set(file, entry.key);
  }
  return turns;
}

function itemSpec(run: RunState, { item, key }: Entry): TaskSpec {
  const { config } = run.start;
  const spec = taskSpec(config, {
    key,
    title: itemTitle(item),
    name: item.id,
    role: 'bulk',
    access: 'write',
    prompt: promptText('recipes/bulk/edit-item', {
      prompt: item.prompt,
      files: item.files.join(', '),
      redChecks: describeEvidence(redOnBase(run)),
    }),
    priority: item.priority ?? 0,
    ...labelsOf(item),
  });
  return {
    ...spec,
    gates: withOwnCommands(
      [...withoutSyntax(spec.gates), syntaxOf(config), ...gatesOf(item)],
      item.check ?? [],
      labelsOf(item),
    ),
    retry: { ...spec.retry, attempts: item.attempts ?? spec.retry.attempts },
    limits: {
      ...spec.limits,
      ...(item.timeoutSeconds === undefined ? {} : { runtimeMs: item.timeoutSeconds * 1000 }),
    },
  };
}

function syntaxOf({ syntax }: Config): GateSpec {
  const { unchecked, checkers } = syntax;
  return { gate: 'syntax', name: 'syntax', files: [], unchecked, checkers };
}

/** An item may change its own files and its side files; what it changes must parse and match its required patterns. */
function gatesOf(item: BulkItem): GateSpec[] {
  const gates: GateSpec[] = [];
  if (item.files.length > 0)
    gates.push({ gate: 'scope', name: 'scope', allow: item.files, deny: [], also: item.sideFiles ?? [] });
  if (item.requirePatterns !== undefined && item.requirePatterns.length > 0)
    gates.push({ gate: 'patterns', name: 'patterns', require: item.requirePatterns, files: item.files });
  return gates;
}

function labelsOf({ labels }: BulkItem): Pick<TaskSpec, 'labels'> {
  return labels === undefined ? {} : { labels };
}

/** Buckets take turns, so that a big one does not hold up a small one; within a bucket the order of the file stays. */
function fairly<T extends { item: BulkItem }>(items: readonly T[]): T[] {
  const buckets = new Map<string, T[]>();
  for (const entry of items) {
    const name = entry.item.bucket ?? '';
    const bucket = buckets.get(name);
    if (bucket === undefined) buckets.set(name, [entry]);
    else bucket.push(entry);
  }
  const lines = [...buckets.values()];
  const longest = Math.max(0, ...lines.map((line) => line.length));
  const order: T[] = [];
  for (let turn = 0; turn < longest; turn += 1) for (const line of lines) order.push(...line.slice(turn, turn + 1));
  return order;
}

/** The selected items, each with the key of its task. */
function selectedItems({ items, only }: BulkInput): { item: BulkItem; key: string }[] {
  const selected = only === undefined ? undefined : new Set(only);
  const all = items.map((item, index) => ({ item, key: itemKey(index) }));
  return selected === undefined ? all : all.filter(({ item }) => selected.has(item.id));
}

/** The status of each item of a bulk run, from the state alone. */
function bulkStatus(state: RunState, input: BulkInput): BulkStatus {
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
