import { createHash } from 'node:crypto';
import type { GateSpec } from '../schema/gate.ts';

export interface DefinitionContext {
  /** Versions of the programs that a check depends on, as one text. */
  tools: string;
  /** Files taken from another commit: such evidence never stands for the candidate as it is. */
  overlay?: { commit: string; paths: readonly string[] };
}

/** What evidence is bound to besides the tree: another command, limit, tool or overlay makes another definition. */
export function definitionHash(spec: GateSpec, context: DefinitionContext): string {
  const overlay = context.overlay ? [context.overlay.commit, ...[...context.overlay.paths].sort()] : [];
  return createHash('sha256')
    .update(JSON.stringify([ordered(spec), context.tools, overlay]))
    .digest('hex');
}

function ordered(spec: GateSpec): [string, unknown][] {
  return Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1));
}
