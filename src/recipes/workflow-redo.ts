import type { RunState } from '../core/state.ts';
import type { TaskSpec } from '../schema/task.ts';
import type { WorkflowInput } from '../schema/work-file.ts';
import { nodeSpec } from './workflow-node.ts';
import { latestOf, type Standing } from './workflow-standing.ts';

/** The node that a gate which did not pass asks for again, told why; what follows from it is outdated then, and follows. */
export function redo(run: RunState, input: WorkflowInput, standing: Standing): TaskSpec | undefined {
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
