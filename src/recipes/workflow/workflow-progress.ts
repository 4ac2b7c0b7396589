import { isOpen, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { WorkflowGate, WorkflowInput, WorkflowNode } from '../../schema/work-file.ts';
import { evaluate } from './expression.ts';

type Output = Readonly<Record<string, unknown>>;

/**
 * Where a node stands. `due`: all that it needs is there; `passed`: done, and its gates hold; `refused`: done, and a gate asks for
 * another node again; `stopped`: done, and a gate that did not pass is a person's to decide; `left-out`: its condition is false.
 */
type NodeStatus =
  | { is: 'waiting' }
  | { is: 'due'; round: number }
  | { is: 'open'; round: number }
  | { is: 'failed'; round: number }
  | { is: 'left-out' }
  | { is: 'passed'; round: number; output: Output; task: TaskState }
  | { is: 'refused'; round: number; gate: WorkflowGate; reason: string; task: TaskState }
  | { is: 'stopped'; reason: string };
export type Standing = ReadonlyMap<string, NodeStatus>;

/** Where every node stands, from the run's tasks and the expressions alone. */
export function standingOf(run: RunState, input: WorkflowInput): Standing {
  const nodes = selectedNodes(input);
  const found = new Map<string, NodeStatus>();
  const outputs = new Map<string, Output>();
  const look = {
    run,
    input,
    found,
    outputs,
    forgiven: run.answers.filter(({ what, choice }) => what === 'gate' && choice === 'approve').length,
  };
  for (const node of inOrder(nodes)) {
    const stands = standing(look, node);
    found.set(node.id, stands);
    if ('task' in stands) outputs.set(node.id, outputOf(stands.task));
  }
  return found;
}

/** The key of a node's work: its place in the file, and the round when it is done again. */
export function nodeKey(input: WorkflowInput, id: string, round: number): string {
  const place = placesOf(input).get(id) ?? 0;
  return round === 1 ? `node/${place}` : `node/${place}/${round}`;
}

/** A node's task in its latest round, if it ever started. */
export function latestOf(
  run: RunState,
  input: WorkflowInput,
  id: string,
): { task: TaskState; round: number } | undefined {
  let latest: { task: TaskState; round: number } | undefined;
  for (let round = 1; ; round += 1) {
    const task = run.tasks[nodeKey(input, id, round)];
    if (task === undefined) return latest;
    latest = { task, round };
  }
}

const places = new WeakMap<WorkflowInput, ReadonlyMap<string, number>>();

function placesOf(input: WorkflowInput): ReadonlyMap<string, number> {
  const known = places.get(input) ?? new Map(input.nodes.map(({ id }, index) => [id, index + 1]));
  places.set(input, known);
  return known;
}

type Look = {
  run: RunState;
  input: WorkflowInput;
  found: ReadonlyMap<string, NodeStatus>;
  outputs: ReadonlyMap<string, Output>;
  /** How many more refused gates a person has let pass; those that stopped first go on first. */
  forgiven: number;
};

function standing(look: Look, node: WorkflowNode): NodeStatus {
  const needs = node.needs.flatMap((id) => look.found.get(id) ?? []);
  const isThere = needs.every(({ is }) => is === 'passed' || is === 'left-out');
  const latest = latestOf(look.run, look.input, node.id);
  if (latest === undefined || isOutdated(look, node, latest.task)) {
    if (!isThere) return { is: 'waiting' };
    const answer = node.condition === undefined ? undefined : evaluate(node.condition, workflowVariables(look.outputs));
    if (answer?.ok === false)
      return { is: 'stopped', reason: `the condition of node ${node.id} has no answer: ${answer.message}` };
    return answer?.value === false ? { is: 'left-out' } : { is: 'due', round: (latest?.round ?? 0) + 1 };
  }
  const { task, round } = latest;
  if (isOpen(task)) return { is: 'open', round };
  if (task.phase.status !== 'done') return { is: 'failed', round };
  if (isToLoop(look, node, { task, round })) return { is: 'due', round: round + 1 };
  return gated(look, node, { task, round });
}

/** A node that ran before something it needs was done again, or that was declared undone with it, must follow it. */
function isOutdated(look: Look, node: WorkflowNode, task: TaskState): boolean {
  if (isOpen(task)) return false;
  if (look.run.invalidated.includes(task.spec.key)) return true;
  return node.needs.some((id) => {
    const need = latestOf(look.run, look.input, id);
    return need !== undefined && need.task.ordinal > task.ordinal;
  });
}

function isToLoop(look: Look, node: WorkflowNode, { task, round }: { task: TaskState; round: number }): boolean {
  if (node.loop === undefined || round >= node.loop.max) return false;
  const own = outputOf(task);
  const answer = evaluate(node.loop.until, workflowVariables(new Map([...look.outputs, [node.id, own]]), own));
  return !(answer.ok && answer.value);
}

function gated(look: Look, node: WorkflowNode, { task, round }: { task: TaskState; round: number }): NodeStatus {
  const output = outputOf(task);
  const variables = workflowVariables(new Map([...look.outputs, [node.id, output]]), output);
  for (const gate of node.gates) {
    if (gate.needs.some((id) => id !== node.id && isAwaited(look.found.get(id)))) return { is: 'open', round };
    const refused = gate.passWhen.flatMap((text) => {
      const answer = evaluate(text, variables);
      if (answer.ok && answer.value) return [];
      return [answer.ok ? text : `${text} (${answer.message})`];
    });
    if (refused.length === 0) continue;
    const reason = `gate ${gate.id} of node ${node.id} did not pass: ${refused.join('; ')}`;
    if (isBeingRedone(look, gate)) return { is: 'open', round };
    if (canRedo(look, gate)) return { is: 'refused', round, gate, reason, task };
    if (look.forgiven > 0) {
      look.forgiven -= 1;
      continue;
    }
    return { is: 'stopped', reason: `${reason}${gate.onFail === undefined ? '' : '; no round is left'}` };
  }
  return { is: 'passed', round, output, task };
}

/** A node that is left out, or not part of this run, is not waited for: what a gate asks about it has no answer then. */
function isAwaited(stands: NodeStatus | undefined): boolean {
  return stands !== undefined && stands.is !== 'passed' && stands.is !== 'left-out';
}

/** Whether the gate's own number of rounds, and the workflow's, leave one more. */
function canRedo({ run, input }: Look, gate: WorkflowGate): boolean {
  if (gate.onFail === undefined) return false;
  const rounds = latestOf(run, input, gate.onFail.retry)?.round ?? 0;
  const redone = Object.keys(run.tasks).filter((key) => /^node\/\d+\/\d+$/.test(key)).length;
  return rounds <= gate.onFail.max && redone < input.loopGuard;
}

function isBeingRedone({ run, input }: Look, { onFail }: WorkflowGate): boolean {
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

/** Each node after those it needs and those its gates look at; the file was refused if they go in a circle. */
function inOrder(nodes: readonly WorkflowNode[]): WorkflowNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placed = new Set<WorkflowNode>();
  const visited = new Set<WorkflowNode>();
  const pending = [...nodes].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (placed.has(node)) continue;
    const wanted = [...node.needs, ...node.gates.flatMap(({ needs }) => needs)].filter((id) => id !== node?.id);
    const before = wanted.flatMap((id) => byId.get(id) ?? []).filter((need) => !placed.has(need));
    if (before.length === 0 || visited.has(node)) {
      placed.add(node);
      continue;
    }
    visited.add(node);
    pending.push(node, ...before.reverse());
  }
  return [...placed];
}

/**
 * What the expressions of a workflow may ask about: each node's structured output by the node's id, all of them as `nodes` and
 * `outputs`, and in a loop the fields of the node's own output by their bare names. `blocking_count` counts `blocking_issues`.
 */
export function workflowVariables(outputs: ReadonlyMap<string, Output>, own: Output = {}): Record<string, unknown> {
  const nodes = Object.fromEntries([...outputs].map(([id, output]) => [id, counted(output)]));
  return { ...counted(own), ...nodes, nodes, outputs: nodes };
}

function counted(output: Output): Record<string, unknown> {
  const issues = output.blocking_issues;
  return Array.isArray(issues) ? { blocking_count: issues.length, ...output } : { ...output };
}
