import type { Redact } from '../../core/redact.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';

/** What a gate found, bound to a tree and the gate's definition, as it is put on record. */
export function evidenceOf(gate: GateSpec, result: GateResult, bound: { tree: string; definition: string }): Evidence {
  const { verdict, summary, exitCode, setup, durationMs, output } = result;
  return {
    gate: gate.name,
    ...bound,
    verdict,
    summary,
    exitCode,
    setup,
    durationMs,
    reused: false,
    ...(output === undefined ? {} : { output }),
  };
}

/** A gate prints what it likes, also secrets of its environment: none of them is stored. */
export function withoutSecrets(result: GateResult, redact: Redact): GateResult {
  const summary = redact(result.summary);
  return result.output === undefined ? { ...result, summary } : { ...result, summary, output: redact(result.output) };
}
