import { isOpen, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isInvalidated } from '../../core/view/document.ts';
import type { NodeDocument } from '../../schema/progress.ts';
import type { WorkflowGate, WorkflowInput, WorkflowNode } from '../../schema/work-file.ts';
import { evaluate } from './expression.ts';

type Output = Readonly<Record<string, unknown>>;

/**
 * The status of a node. `due`: all that it needs is there; `passed`: done, and its gates hold; `refused`: done, and a gate requires
 * another node again; `stopped`: done, and a gate that did not pass is a person's to decide; `left-out`: its condition is false.
 */
type NodeStatus =
  | { kind: 'waiting' }
  | { kind: 'due'; round: number; because: string }
  | { kind: 'open'; round: number; gates?: GateResult[] }
  | { kind: 'failed'; round: number }
  | { kind: 'left-out'; reason: string }
  | { kind: 'passed'; round: number; output: Output; task: TaskState; gates: GateResult[] }
  | { kind: 'refused'; round: number; gate: WorkflowGate; reason: string; task: TaskState; gates: GateResult[] }
  | { kind: 'stopped'; reason: string; gates?: GateResult[] };

/** What a gate decided when it was last evaluated; `approved`: it did not pass, and a person let the work continue. */
type GateResult = NodeDocument['gates'][number];
export type NodeStatuses = ReadonlyMap<string, NodeStatus>;

/** The status of every node, from the run's tasks and the expressions alone. */
export function nodeStatuses(run: RunState, input: WorkflowInput): NodeStatuses {
  const nodes = selectedNodes(input);
  const found = new Map<string, NodeStatus>();
  const outputs = new Map<string, Output>();
  const context = {
    run,
    input,
    found,
    outputs,
    forgiven: run.answers.filter(({ what, choice }) => what === 'gate' && choice === 'approve').length,
  };
  for (const node of inOrder(nodes)) {
    const status = statusOf(context, node);
    found.set(node.id, status);
    if ('task' in status) outputs.set(node.id, outputOf(status.task));
  }
  return found;
}

/** Every node with its status, the reason of each of its rounds, and what its gates decided. */
export function nodeDocuments(run: RunState, input: WorkflowInput): NodeDocument[] {
  const statuses = nodeStatuses(run, input);
  const unreachable = unreachableNodes(input, statuses);
  return selectedNodes(input).flatMap((node) => {
    const status = statuses.get(node.id);
    if (status === undefined) return [];
    const evaluated = 'gates' in status ? (status.gates ?? []) : [];
    const gates = node.gates.map(
      ({ id, passWhen }) =>
        evaluated.find((gate) => gate.id === id) ?? { id, verdict: 'pending' as const, reason: passWhen.join('; ') },
    );
    const rounds = roundsOf(run, input, node.id).map((task) => ({
      task: task.spec.key,
      status: isInvalidated(run, task) ? 'needs-rerun' : task.phase.status,
      reason: task.spec.because ?? '',
    }));
    const isStale = rounds.at(-1)?.status === 'needs-rerun';
    const blocked = unreachable.get(node.id);
    const kind = blocked === undefined ? shownKind(status) : 'skipped';
    const reason = blocked ?? ('reason' in status ? status.reason : null);
    return [{ id: node.id, status: isStale ? 'needs-rerun' : kind, reason, rounds, gates }];
  });
}

/** Nodes that never start because something that they need failed, with the reason of each. */
function unreachableNodes(input: WorkflowInput, statuses: NodeStatuses): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { id, needs } of inOrder(selectedNodes(input))) {
    if (statuses.get(id)?.kind !== 'waiting') continue;
    const need = needs.find((each) => reasons.has(each) || statuses.get(each)?.kind === 'failed');
    if (need !== undefined) reasons.set(id, reasons.has(need) ? `${need} was skipped` : `${need} failed`);
  }
  return reasons;
}

function shownKind(status: NodeStatus): NodeDocument['status'] {
  switch (status.kind) {
    case 'waiting':
    case 'due':
      return 'waiting';
    case 'open':
      return 'running';
    case 'left-out':
      return 'skipped';
    case 'stopped':
      return 'held';
    case 'failed':
    case 'passed':
    case 'refused':
      return status.kind;
  }
}

/** The key of a node's work: its position in the file, and the round when it is done again. */
export function nodeKey(input: WorkflowInput, id: string, round: number): string {
  const position = positionsOf(input).get(id) ?? 0;
  return round === 1 ? `node/${position}` : `node/${position}/${round}`;
}

/** A node's task in its latest round, if it ever started. */
export function latestOf(
  run: RunState,
  input: WorkflowInput,
  id: string,
): { task: TaskState; round: number } | undefined {
  const rounds = roundsOf(run, input, id);
  const task = rounds.at(-1);
  return task === undefined ? undefined : { task, round: rounds.length };
}

function roundsOf(run: RunState, input: WorkflowInput, id: string): TaskState[] {
  const rounds: TaskState[] = [];
  for (let round = 1; ; round += 1) {
    const task = run.tasks[nodeKey(input, id, round)];
    if (task === undefined) return rounds;
    rounds.push(task);
  }
}

const positions = new WeakMap<WorkflowInput, ReadonlyMap<string, number>>();

function positionsOf(input: WorkflowInput): ReadonlyMap<string, number> {
  const known = positions.get(input) ?? new Map(input.nodes.map(({ id }, index) => [id, index + 1]));
  positions.set(input, known);
  return known;
}

type ProgressContext = {
  run: RunState;
  input: WorkflowInput;
  found: ReadonlyMap<string, NodeStatus>;
  outputs: ReadonlyMap<string, Output>;
  /** How many more refused gates a person has let pass; those that stopped first continue first. */
  forgiven: number;
};

function statusOf(context: ProgressContext, node: WorkflowNode): NodeStatus {
  const needs = node.needs.flatMap((id) => context.found.get(id) ?? []);
  const isThere = needs.every(({ kind }) => kind === 'passed' || kind === 'left-out');
  const latest = latestOf(context.run, context.input, node.id);
  const outdated = latest === undefined ? undefined : outdatedReason(context, node, latest.task);
  if (latest === undefined || outdated !== undefined) {
    if (!isThere) return { kind: 'waiting' };
    const answer =
      node.condition === undefined ? undefined : evaluate(node.condition, workflowVariables(context.outputs));
    if (answer?.ok === false)
      return { kind: 'stopped', reason: `the condition of node ${node.id} has no answer: ${answer.message}` };
    if (answer?.value === false) return { kind: 'left-out', reason: `its condition is false: ${node.condition}` };
    const because = outdated ?? (answer === undefined ? firstReason(node) : `its condition is true: ${node.condition}`);
    return { kind: 'due', round: (latest?.round ?? 0) + 1, because };
  }
  const { task, round } = latest;
  if (isOpen(task)) return { kind: 'open', round };
  if (task.phase.status !== 'done') return { kind: 'failed', round };
  if (isToLoop(context, node, { task, round })) {
    const because = `round ${round + 1} of at most ${node.loop?.max}: not yet true: ${node.loop?.until}`;
    return { kind: 'due', round: round + 1, because };
  }
  return gated(context, node, { task, round });
}

function firstReason({ needs }: WorkflowNode): string {
  return needs.length === 0 ? 'it needs no other node' : `${needs.join(', ')} ended`;
}

/** A node that ran before something it needs was done again, or that was declared undone with it, must follow it. */
function outdatedReason(context: ProgressContext, node: WorkflowNode, task: TaskState): string | undefined {
  if (isOpen(task)) return undefined;
  if (context.run.invalidated.includes(task.spec.key)) return 'its work was invalidated';
  const renewed = node.needs.find((id) => {
    const need = latestOf(context.run, context.input, id);
    return need !== undefined && need.task.ordinal > task.ordinal;
  });
  return renewed === undefined ? undefined : `${renewed} was done again`;
}

function isToLoop(
  context: ProgressContext,
  node: WorkflowNode,
  { task, round }: { task: TaskState; round: number },
): boolean {
  if (node.loop === undefined || round >= Math.min(node.loop.max, context.run.start.maxIterations ?? node.loop.max))
    return false;
  const own = outputOf(task);
  const answer = evaluate(node.loop.until, workflowVariables(new Map([...context.outputs, [node.id, own]]), own));
  return !(answer.ok && answer.value);
}

function gated(
  context: ProgressContext,
  node: WorkflowNode,
  { task, round }: { task: TaskState; round: number },
): NodeStatus {
  const output = outputOf(task);
  const variables = workflowVariables(new Map([...context.outputs, [node.id, output]]), output);
  const gates: GateResult[] = [];
  for (const gate of node.gates) {
    if (gate.needs.some((id) => id !== node.id && isPending(context.found.get(id))))
      return { kind: 'open', round, gates };
    const refused = gate.passWhen.flatMap((text) => {
      const answer = evaluate(text, variables);
      if (answer.ok && answer.value) return [];
      return [answer.ok ? text : `${text} (${answer.message})`];
    });
    if (refused.length === 0) {
      gates.push({ id: gate.id, verdict: 'passed', reason: gate.passWhen.join('; ') });
      continue;
    }
    const reason = `gate ${gate.id} of node ${node.id} did not pass: ${refused.join('; ')}`;
    const failed: GateResult[] = [...gates, { id: gate.id, verdict: 'failed', reason }];
    if (isBeingRedone(context, gate)) return { kind: 'open', round, gates: failed };
    if (canRedo(context, gate)) return { kind: 'refused', round, gate, reason, task, gates: failed };
    if (context.forgiven > 0) {
      context.forgiven -= 1;
      gates.push({ id: gate.id, verdict: 'approved', reason });
      continue;
    }
    const stopped = `${reason}${gate.onFail === undefined ? '' : '; no round is left'}`;
    return { kind: 'stopped', reason: stopped, gates: failed };
  }
  return { kind: 'passed', round, output, task, gates };
}

/** A node that is left out, or not part of this run, is not waited for: expressions about it have no value then. */
function isPending(status: NodeStatus | undefined): boolean {
  return status !== undefined && status.kind !== 'passed' && status.kind !== 'left-out';
}

/** Whether the gate's own number of rounds, and the workflow's, leave one more. */
function canRedo({ run, input }: ProgressContext, gate: WorkflowGate): boolean {
  if (gate.onFail === undefined) return false;
  const rounds = latestOf(run, input, gate.onFail.retry)?.round ?? 0;
  const redone = Object.keys(run.tasks).filter((key) => /^node\/\d+\/\d+$/.test(key)).length;
  return rounds <= Math.min(gate.onFail.max, (run.start.maxIterations ?? 1e9) - 1) && redone < input.loopGuard;
}

function isBeingRedone({ run, input }: ProgressContext, { onFail }: WorkflowGate): boolean {
  const latest = onFail === undefined ? undefined : latestOf(run, input, onFail.retry);
  return latest !== undefined && isOpen(latest.task);
}

function outputOf(task: TaskState): Output {
  const ended = lastAttempt(task)?.ended;
  const output = ended?.output;
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  const fields = isObject ? Object.fromEntries(Object.entries(output)) : {};
  return { status: task.phase.status, summary: ended?.summary ?? '', ...fields };
}

function selectedNodes(input: WorkflowInput): WorkflowNode[] {
  if (input.only === undefined) return input.nodes;
  const byId = new Map(input.nodes.map((node) => [node.id, node]));
  const ids = new Set(input.only);
  for (const id of ids) {
    const node = byId.get(id);
    for (const need of [...(node?.needs ?? []), ...(node?.gates.flatMap((gate) => gate.needs) ?? [])]) ids.add(need);
  }
  return input.nodes.filter(({ id }) => ids.has(id));
}

/** Each node after those it needs and those its gates judge; a file with a cycle was refused. */
function inOrder(nodes: readonly WorkflowNode[]): WorkflowNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = new Set<WorkflowNode>();
  const visited = new Set<WorkflowNode>();
  const pending = [...nodes].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (ordered.has(node)) continue;
    const needed = [...node.needs, ...node.gates.flatMap(({ needs }) => needs)].filter((id) => id !== node?.id);
    const before = needed.flatMap((id) => byId.get(id) ?? []).filter((need) => !ordered.has(need));
    if (before.length === 0 || visited.has(node)) {
      ordered.add(node);
      continue;
    }
    visited.add(node);
    pending.push(node, ...before.reverse());
  }
  return [...ordered];
}

/**
 * The variables of a workflow's expressions: each node's structured output by the node's id, all of them as `nodes` and
 * `outputs`, and in a loop the fields of the node's own output by their bare names. `blocking_count` counts `blocking_issues`.
 */
export function workflowVariables(outputs: ReadonlyMap<string, Output>, own: Output = {}): Record<string, unknown> {
  const nodes = Object.fromEntries([...outputs].map(([id, output]) => [id, counted(output)]));
  return { ...counted(own), ...nodes, nodes, outputs: nodes };
}

function counted(output: Output): Record<string, unknown> {
  const issues = output.blocking_issues;
  return Array.isArray(issues) ? { ...output, blocking_count: issues.length } : { ...output };
}
