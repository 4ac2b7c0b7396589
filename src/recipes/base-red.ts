import type { RunState } from '../core/run/state.ts';
import type { Hold } from '../schema/event.ts';
import type { Evidence } from '../schema/gate.ts';

/** The checks that were red before any work began. */
export function redOnBase(run: RunState): Evidence[] {
  return (run.baseEvidence ?? []).filter((evidence) => evidence.verdict !== 'pass');
}

/** What a person is asked when checks are red on the base and the configuration says `baseRed: block`. */
export function baseRedHold(red: readonly Evidence[]): Hold {
  const names = red.map((evidence) => evidence.gate).join(', ');
  return {
    what: 'base-red',
    reason: `${names} is red before any work; approve to go on and repair it first`,
    files: [],
  };
}

/** The evidence as a prompt shows it. */
export function describeEvidence(red: readonly Evidence[]): string {
  return red.map((evidence) => `${evidence.gate}: ${evidence.summary}\n${evidence.output ?? ''}`.trim()).join('\n\n');
}
