import type { RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { GateSpec } from '../../schema/gate.ts';
import type { TaskSpec } from '../../schema/task.ts';
import type { WorkflowInput, WorkflowNode } from '../../schema/work-file.ts';
import { taskSpec } from '../task-spec.ts';
import { type NodeStatuses, nodeKey } from './workflow-progress.ts';

/** Most of what earlier nodes handed over that a prompt repeats, for each of them. */
const HANDOFF_CHARS = 8_000;

/** The task of a node in one round: what to do, what earlier nodes handed over, and why it is done again if it is. */
export function nodeSpec(
  run: RunState,
  what: { input: WorkflowInput; node: WorkflowNode; round: number; statuses: NodeStatuses; why?: string },
): TaskSpec {
  const { input, node, round, statuses, why } = what;
  const needs = node.needs.flatMap((id) => {
    const status = statuses.get(id);
    return status?.kind === 'passed' ? [nodeKey(input, id, status.round)] : [];
  });
  const spec = taskSpec(run.start.config, {
    key: nodeKey(input, node.id, round),
    title: round === 1 ? node.id : `${node.id} (round ${round})`,
    name: node.id,
    role: node.role,
    access: node.access,
    renewed: true,
    needs,
    prompt: promptText('recipes/workflow/do-node', {
      task: node.task,
      handoffs: handoffs(node, statuses),
      retryReason: why ?? '',
    }),
    ...(node.agent === undefined ? {} : { agent: node.agent }),
    ...(node.tier === undefined ? {} : { tier: node.tier }),
    ...schemaOf(node),
  });
  return {
    ...spec,
    gates: [...spec.gates, ...gatesOf(node, spec)],
    retry: { ...spec.retry, attempts: node.attempts ?? spec.retry.attempts },
    limits: {
      ...spec.limits,
      ...(node.timeoutSeconds === undefined ? {} : { runtimeMs: node.timeoutSeconds * 1000 }),
    },
  };
}

function handoffs(node: WorkflowNode, statuses: NodeStatuses): string {
  const parts = node.needs.flatMap((id) => {
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
