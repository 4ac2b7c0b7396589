import { createHash } from 'node:crypto';
import type { GateSpec } from '../schema/gate.ts';
import { changedGate } from './changed.ts';
import { cleanOutputGate } from './clean-output.ts';
import { commandGate } from './command.ts';
import type { GateInput, GateResult } from './gate.ts';
import { handoffGate } from './handoff.ts';
import { patternsGate } from './patterns.ts';
import { scopeGate } from './scope/scope.ts';
import { secretsGate } from './secrets/secrets.ts';
import { syntaxGate } from './syntax/syntax.ts';

/** Runs the gate of a spec. */
export function checkGate(spec: GateSpec, input: GateInput): Promise<GateResult> {
  switch (spec.gate) {
    case 'changed':
      return changedGate.check(spec, input);
    case 'command':
      return commandGate.check(spec, input);
    case 'handoff':
      return handoffGate.check(spec, input);
    case 'scope':
      return scopeGate.check(spec, input);
    case 'secrets':
      return secretsGate.check(spec, input);
    case 'syntax':
      return syntaxGate.check(spec, input);
    case 'patterns':
      return patternsGate.check(spec, input);
    case 'clean-output':
      return cleanOutputGate.check(spec, input);
  }
}

export interface DefinitionContext {
  /** Versions of the programs that a check depends on, as one text. */
  tools: string;
  /** Files taken from another commit: such evidence never counts for the candidate itself. */
  overlay?: { commit: string; paths: readonly string[] };
}

/** What evidence is bound to in addition to the tree: another command, limit, tool or overlay makes another definition. */
export function definitionHash(spec: GateSpec, context: DefinitionContext): string {
  const overlay = context.overlay ? [context.overlay.commit, ...[...context.overlay.paths].sort()] : [];
  return createHash('sha256')
    .update(JSON.stringify([ordered(spec), context.tools, overlay]))
    .digest('hex');
}

function ordered(spec: GateSpec): [string, unknown][] {
  return Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1));
}
