import { isApproved } from '../core/run/holds.ts';
import type { RunState } from '../core/run/state.ts';
import type { Hold } from '../schema/event.ts';
import type { Evidence } from '../schema/gate.ts';

/** The checks that were red before any work began. */
export function redOnBase(run: RunState): Evidence[] {
  return (run.baseEvidence ?? []).filter((evidence) => evidence.verdict !== 'pass');
}

/** The hold of a run whose checks fail on the base, where the configuration says `baseRed: block` and no person approved it. */
export function redBaseHold(run: RunState, red: readonly Evidence[]): { hold?: Hold } {
  const subject = red[0]?.tree;
  if (subject === undefined || run.start.config.baseRed !== 'block' || isApproved(run, 'base-red', subject)) return {};
  const names = red.map((evidence) => evidence.gate).join(', ');
  const reason = `${names} fails on the base, before any work; approve to continue and repair it first`;
  return { hold: { what: 'base-red', reason, files: [], subject } };
}

/** The evidence as a prompt shows it. */
export function describeEvidence(red: readonly Evidence[]): string {
  return red.map((evidence) => `${evidence.gate}: ${evidence.summary}\n${evidence.output ?? ''}`.trim()).join('\n\n');
}
