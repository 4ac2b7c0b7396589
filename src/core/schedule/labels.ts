import type { GateSpec } from '../../schema/gate.ts';
import type { RunState, TaskState } from '../run/state.ts';

/** The labels that a task requires of its host: those of its run, its role and its own, each once. */
export function labelsOfTask({ start: { config } }: RunState, { spec }: Pick<TaskState, 'spec'>): string[] {
  return [...new Set([...config.labels, ...(config.roles[spec.role]?.labels ?? []), ...(spec.labels ?? [])])];
}

/** The labels that a check requires of its host: those of its run, and its own. */
export function labelsOfCheck({ start: { config } }: RunState, gate: Extract<GateSpec, { gate: 'command' }>): string[] {
  return [...new Set([...config.labels, ...(gate.labels ?? [])])];
}
