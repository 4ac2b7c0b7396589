import type { Redact } from '../../core/redact.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';

/** The result of a gate as evidence, bound to a tree and the gate's definition. */
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

/** The output of a gate may contain secrets of its environment: none of them is stored. */
export function withoutSecrets(result: GateResult, redact: Redact): GateResult {
  const summary = redact(result.summary);
  return result.output === undefined ? { ...result, summary } : { ...result, summary, output: redact(result.output) };
}
