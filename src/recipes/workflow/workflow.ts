import type { RunState } from '../../core/run/state.ts';
import type { Hold } from '../../schema/event.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { WorkflowInput } from '../../schema/work-file.ts';
import type { Recipe } from '../recipe.ts';
import { workflowWorkFile } from './workflow-file.ts';
import { nodeSpec } from './workflow-node.ts';
import { latestOf, type Standing, standingOf } from './workflow-progress.ts';

/** A workflow file: nodes in the order of their needs, gates between them, nodes done again when a gate asks for it. */
export const workflow: Recipe<WorkflowInput> = {
  name: 'workflow',
  version: 1,
  input: WorkflowInput,
  form: { title: 'Workflow', summary: 'A graph of roles with conditions, loops and gates.', file: true },
  workFile: workflowWorkFile,
  title: (input) => input.name,
  failure: (run, input) => unfinished(standingOf(run, input)),
  unfold: (run, input) => {
    const standing = standingOf(run, input);
    const again = redo(run, input, standing);
    if (again !== undefined) return { add: [again] };
    const add = input.nodes.flatMap((node) => {
      const stands = standing.get(node.id);
      return stands?.is === 'due' ? [nodeSpec(run, { input, node, round: stands.round, standing })] : [];
    });
    const hold = add.length === 0 ? holdFor(run, standing) : undefined;
    return hold === undefined ? { add } : { add, hold };
  },
};

/** A gate that did not pass, and that no node may be done again for, is a person's to decide. */
function holdFor(run: RunState, standing: Standing): Hold | undefined {
  if (Object.values(run.tasks).some(({ phase }) => phase.status === 'running' || phase.status === 'ready'))
    return undefined;
  for (const stands of standing.values()) {
    if (stands.is === 'stopped') return { what: 'gate', reason: stands.reason, files: [] };
  }
  return undefined;
}

function unfinished(standing: Standing): string | undefined {
  const open = [...standing].filter(([, { is }]) => is === 'stopped' || is === 'waiting' || is === 'due');
  const [id, stands] = open[0] ?? [];
  if (id === undefined || stands === undefined) return undefined;
  return stands.is === 'stopped' ? stands.reason : `node ${id} was never reached`;
}

/** The node that a gate which did not pass asks for again, told why; what follows from it is outdated then, and follows. */
function redo(run: RunState, input: WorkflowInput, standing: Standing): TaskSpec | undefined {
  for (const stands of standing.values()) {
    if (stands.is !== 'refused') continue;
    const target = stands.gate.onFail?.retry;
    const node = input.nodes.find(({ id }) => id === target);
    if (node === undefined) continue;
    const round = (latestOf(run, input, node.id)?.round ?? 0) + 1;
    return nodeSpec(run, { input, node, round, standing, why: stands.reason });
  }
  return undefined;
}
