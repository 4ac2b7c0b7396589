import type { RunState } from '../../core/run/state.ts';
import { withoutChange } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Hold } from '../../schema/event.ts';
import type { GateSpec } from '../../schema/gate.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { WorkflowInput, type WorkflowNode } from '../../schema/work-file.ts';
import { requiringGreenBase } from '../base-red.ts';
import type { Recipe } from '../recipe.ts';
import { taskSpec } from '../task-spec.ts';
import { workflowWorkFile } from './workflow-file.ts';
import { latestOf, type NodeStatuses, nodeDocuments, nodeKey, nodeStatuses } from './workflow-progress.ts';

/** Most of what earlier nodes handed over that a prompt repeats, for each of them. */
const HANDOFF_CHARS = 8_000;
const LONGEST_REASON = 2_000;

/** A workflow file: nodes in the order of their needs, gates between them, nodes done again when a gate requires it. */
export const workflow: Recipe<WorkflowInput> = requiringGreenBase({
  name: 'workflow',
  version: 1,
  input: WorkflowInput,
  form: { title: 'Workflow', summary: 'A graph of roles with conditions, loops and gates.', file: true },
  workFile: workflowWorkFile,
  title: (input) => input.name,
  nodes: nodeDocuments,
  failure: (run, input) => unfinished(nodeStatuses(run, input)),
  unfold: (run, input) => {
    const statuses = nodeStatuses(run, input);
    const again = redo(run, input, statuses);
    if (again !== undefined) return { add: [again] };
    const add = input.nodes.flatMap((node) => {
      const status = statuses.get(node.id);
      return status?.kind === 'due'
        ? [nodeSpec(run, { input, node, round: status.round, statuses, because: status.because })]
        : [];
    });
    const hold = add.length === 0 ? holdFor(run, statuses) : undefined;
    return hold === undefined ? { add } : { add, hold };
  },
});

/** A gate that did not pass, and that no node may be done again for, is left to a person. */
function holdFor(run: RunState, statuses: NodeStatuses): Hold | undefined {
  if (Object.values(run.tasks).some(({ phase }) => phase.status === 'running' || phase.status === 'ready'))
    return undefined;
  for (const status of statuses.values()) {
    if (status.kind === 'stopped') return { what: 'gate', reason: status.reason, files: [] };
  }
  return undefined;
}

function unfinished(statuses: NodeStatuses): string | undefined {
  const open = [...statuses].filter(([, { kind }]) => kind === 'stopped' || kind === 'waiting' || kind === 'due');
  const [id, status] = open[0] ?? [];
  if (id === undefined || status === undefined) return undefined;
  return status.kind === 'stopped' ? status.reason : `node ${id} was never reached`;
}

/** The node that a failed gate requires again, with the reason; what depends on it becomes outdated and is repeated. */
function redo(run: RunState, input: WorkflowInput, statuses: NodeStatuses): TaskSpec | undefined {
  for (const status of statuses.values()) {
    if (status.kind !== 'refused') continue;
    const target = status.gate.onFail?.retry;
    const node = input.nodes.find(({ id }) => id === target);
    if (node === undefined) continue;
    const round = (latestOf(run, input, node.id)?.round ?? 0) + 1;
    return nodeSpec(run, { input, node, round, statuses, because: status.reason, isRetry: true });
  }
  return undefined;
}

/** The task of a node in one round: what to do, what earlier nodes handed over, and why it is done again if it is. */
function nodeSpec(
  run: RunState,
  what: {
    input: WorkflowInput;
    node: WorkflowNode;
    round: number;
    statuses: NodeStatuses;
    because: string;
    /** A gate requires the round: its reason is part of the prompt. */
    isRetry?: boolean;
  },
): TaskSpec {
  const { input, node, round, statuses, because, isRetry = false } = what;
  const needs = node.needs.flatMap((id) => {
    const status = statuses.get(id);
    return status?.kind === 'passed' ? [nodeKey(input, id, status.round)] : [];
  });
  const spec = taskSpec(run.start.config, {
    key: nodeKey(input, node.id, round),
    title: `${node.title ?? node.id}${round === 1 ? '' : ` (round ${round})`}`,
    name: node.id,
    role: node.role,
    access: node.access,
    renewed: true,
    needs,
    prompt: promptText('recipes/workflow/do-node', {
      task: node.task,
      handoffs: handoffs(node, statuses),
      retryReason: isRetry ? because : '',
    }),
    ...(node.agent === undefined ? {} : { agent: node.agent }),
    ...(node.tier === undefined ? {} : { tier: node.tier }),
    ...(node.labels === undefined ? {} : { labels: node.labels }),
    because: because.slice(0, LONGEST_REASON),
    ...schemaOf(node),
  });
  return {
    ...spec,
    gates: [...(node.answers === true ? withoutChange(spec.gates) : spec.gates), ...gatesOf(node, spec)],
    retry: { ...spec.retry, attempts: node.attempts ?? spec.retry.attempts },
    limits: {
      ...spec.limits,
      ...(node.timeoutSeconds === undefined ? {} : { runtimeMs: node.timeoutSeconds * 1000 }),
    },
  };
}

function handoffs(node: WorkflowNode, statuses: NodeStatuses): string {
  const parts = [...new Set([...node.needs, ...(node.reads ?? [])])].flatMap((id) => {
    const status = statuses.get(id);
    if (status?.kind !== 'passed') return [];
    const { status: _, ...output } = status.output;
    const text = JSON.stringify(output, null, 2).slice(0, HANDOFF_CHARS);
    return [promptText('recipes/workflow/handoff', { id, output: text })];
  });
  return parts.join('\n\n');
}

/** A node that hands something over must return it as structured output. */
function schemaOf(node: WorkflowNode): Pick<TaskSpec, 'outputSchema'> {
  if (node.outputSchema !== undefined) return { outputSchema: node.outputSchema };
  if (node.outputs === undefined || node.outputs.length === 0) return {};
  const properties = Object.fromEntries(node.outputs.map((name) => [name, {}]));
  return { outputSchema: { type: 'object', properties, required: node.outputs } };
}

function gatesOf(node: WorkflowNode, spec: TaskSpec): GateSpec[] {
  const gates: GateSpec[] = [];
  if (spec.outputSchema !== undefined && spec.access === 'write') gates.push({ gate: 'handoff', name: 'handoff' });
  if (node.writeScope !== undefined && spec.access === 'write') {
    const { allow, deny, maxChangedLines } = node.writeScope;
    const most = maxChangedLines === undefined ? {} : { maxChangedLines };
    gates.push({ gate: 'scope', name: 'scope', allow, deny, also: [], ...most });
  }
  return gates;
}
