import type { RunState } from '../../core/run/state.ts';
import type { Hold } from '../../schema/event.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { WorkflowInput } from '../../schema/work-file.ts';
import { requiringGreenBase } from '../base-red.ts';
import type { Recipe } from '../recipe.ts';
import { workflowWorkFile } from './workflow-file.ts';
import { nodeSpec } from './workflow-node.ts';
import { latestOf, type NodeStatuses, nodeStatuses } from './workflow-progress.ts';

/** A workflow file: nodes in the order of their needs, gates between them, nodes done again when a gate requires it. */
export const workflow: Recipe<WorkflowInput> = requiringGreenBase({
  name: 'workflow',
  version: 1,
  input: WorkflowInput,
  form: { title: 'Workflow', summary: 'A graph of roles with conditions, loops and gates.', file: true },
  workFile: workflowWorkFile,
  title: (input) => input.name,
  failure: (run, input) => unfinished(nodeStatuses(run, input)),
  unfold: (run, input) => {
    const statuses = nodeStatuses(run, input);
    const again = redo(run, input, statuses);
    if (again !== undefined) return { add: [again] };
    const add = input.nodes.flatMap((node) => {
      const status = statuses.get(node.id);
      return status?.kind === 'due' ? [nodeSpec(run, { input, node, round: status.round, statuses })] : [];
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
    return nodeSpec(run, { input, node, round, statuses, why: status.reason });
  }
  return undefined;
}
