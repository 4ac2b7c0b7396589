import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redact } from '../../core/redact.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';

/** The result of a gate as evidence, bound to a tree and the gate's definition. */
export function evidenceOf(gate: GateSpec, result: GateResult, bound: { tree: string; definition: string }): Evidence {
  const { verdict, summary, exitCode, setup, durationMs, output, command, outputLines, outputFile } = result;
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
    ...(command === undefined ? {} : { command }),
    ...(outputLines === undefined ? {} : { outputLines }),
    ...(outputFile === undefined ? {} : { outputFile }),
  };
}

/** The output of a gate may contain secrets of its environment: none of them is stored. */
export function withoutSecrets(result: GateResult, redact: Redact): GateResult {
  const { summary, output, command } = result;
  return {
    ...result,
    summary: redact(summary),
    ...(output === undefined ? {} : { output: redact(output) }),
    ...(command === undefined ? {} : { command: redact(command) }),
  };
}

/** Moves the complete output of a check that did not pass to a folder that stays until the run is cleaned up; the folders of gates do not outlive the engine. */
export async function keepOutput(result: GateResult, folder: string): Promise<GateResult> {
  const { outputFile, ...rest } = result;
  if (outputFile === undefined || result.verdict === 'pass') return rest;
  const kept = join(folder, 'output.txt');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(outputFile, kept);
    return { ...rest, outputFile: kept };
  } catch {
    // On a full disk the verdict and the last lines are still recorded.
    return rest;
  }
}
