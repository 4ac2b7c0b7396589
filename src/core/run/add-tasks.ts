import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import { TaskSpec } from '../../schema/task.ts';
import { labelOf, taskLabel } from '../view/task-label.ts';
import { findCycle, inBatches } from './graph.ts';
import { requireLive } from './require.ts';
import { isOpen, type RunState } from './state.ts';

/**
 * Adds the tasks that are new; one that needs a task which was not done is skipped at once. A known key with the same
 * spec changes nothing; with another spec it is an error. A run that is being cancelled accepts no tasks.
 */
export function addTasks(state: RunState, requested: readonly TaskSpec[]): RunEvent[] {
  const specs: TaskSpec[] = [];
  const seen = new Set<string>();
  for (const raw of requested) {
    const spec = TaskSpec.parse(raw);
    if (seen.has(spec.key)) throw new AppError('PLAN_INVALID', `Two tasks have the key ${spec.key}`, { key: spec.key });
    seen.add(spec.key);
    const known = state.tasks[spec.key];
    if (known === undefined) specs.push(spec);
    else if (JSON.stringify(known.spec) !== JSON.stringify(spec)) {
      throw new AppError('PLAN_INVALID', `Task ${spec.key} is already recorded with another content`, {
        key: spec.key,
      });
    }
  }
  requireNeeds(state, specs, seen);
  const cycle = findCycle(specs);
  if (cycle !== undefined) {
    throw new AppError('PLAN_INVALID', `The plan has a cycle: ${cycle.join(' needs ')}`, { cycle });
  }
  if (specs.length === 0) return [];
  requireLive(state);
  return state.status.kind === 'cancelling'
    ? []
    : [{ type: 'tasks.added', data: { specs } }, ...skipImpossible(state, specs)];
}

function requireNeeds(state: RunState, specs: readonly TaskSpec[], seen: ReadonlySet<string>): void {
  for (const spec of specs) {
    const unknown = spec.needs.find((need) => !seen.has(need) && state.tasks[need] === undefined);
    if (unknown === undefined) continue;
    throw new AppError('PLAN_INVALID', `Task ${spec.key} needs ${unknown}, which is not in the plan`, {
      key: spec.key,
    });
  }
}

function skipImpossible(state: RunState, specs: readonly TaskSpec[]): RunEvent[] {
  const byKey = new Map(specs.map((spec) => [spec.key, spec]));
  const impossible = new Set<string>();
  const events: RunEvent[] = [];
  for (const key of inBatches(specs).flat()) {
    const need = byKey.get(key)?.needs.find((name) => impossible.has(name) || isLost(state, name));
    if (need === undefined) continue;
    impossible.add(key);
    const known = byKey.get(need);
    const label = known === undefined ? labelOf(state, need) : taskLabel(known);
    events.push({
      type: 'task.ended',
      data: { task: key, status: 'skipped', reason: `it needs ${label}, which was not done` },
    });
  }
  return events;
}

function isLost(state: RunState, key: string): boolean {
  const task = state.tasks[key];
  return task !== undefined && !isOpen(task) && task.phase.status !== 'done';
}
