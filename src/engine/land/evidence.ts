import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordGate } from '../../core/land/decide-landing.ts';
import type { Redact } from '../../core/redact.ts';
import { proofKey } from '../../core/run/state.ts';
import { messageOf } from '../../errors.ts';
import type { GateResult } from '../../gates/gate.ts';
import { failedSetup } from '../../gates/gate.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { openPlainHandle } from '../../process/files/plain-file.ts';
import { MOST_OUTPUT_BYTES } from '../../process/output-text.ts';
import { ProjectEvent } from '../../schema/event.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';
import { attemptId, projectStream, type TaskKey } from '../../schema/ids.ts';
import type { EndedSetup, PreparationObserver } from '../../workspaces/setup.ts';
import { removeRawOutput } from '../attempt/assignment.ts';
import { ENGINE_GENERATIONS } from '../attempt/attempt-output.ts';
import type { RunningStep } from '../loop/activities.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** The result of a gate as evidence, bound to a tree and the gate's definition. */
export function evidenceOf(
  gate: Pick<GateSpec, 'name'>,
  result: GateResult,
  bound: { tree: string; definition: string },
): Evidence {
  const { verdict, summary, exitCode, setup, durationMs, output, command, outputLines, outputFile, host } = result;
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
    ...(host === undefined ? {} : { host }),
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

/** Moves the complete output of a check that did not pass, without secrets, from its gate's folder, which does not outlive the engine, to one that stays until the run is cleaned up. */
export async function keepOutput(
  result: GateResult,
  { from, to, redact }: { from: string; to: string; redact: Redact },
): Promise<GateResult> {
  const { outputFile, ...rest } = result;
  if (outputFile !== undefined && !outputFile.startsWith(join(from, '/'))) return result;
  const isKept = outputFile !== undefined && result.verdict !== 'pass';
  const kept = isKept ? await moveOutput(outputFile, to, redact) : undefined;
  await removeRawOutput(from);
  return kept === undefined ? rest : { ...rest, outputFile: kept };
}

/** The transcript of what is done for a run and belongs to none of its attempts. */
export function runTranscriptName(run: string): string {
  return attemptId(run, 0, 0);
}

/** Shows the steps of a preparation, and keeps the output of its set-up in a transcript: of the attempt that it is for, else of the run. */
export function observePreparation(
  ctx: EngineContext,
  run: ActiveRun,
  { step, attempt = runTranscriptName(run.id) }: { step: RunningStep; attempt?: string },
): PreparationObserver {
  return {
    step: (next) => step.update(next),
    setupEnded: (ended) => keepSetupOutput(ctx, run, { attempt, ended }),
  };
}

async function keepSetupOutput(
  ctx: EngineContext,
  run: ActiveRun,
  { attempt, ended }: { attempt: string; ended: EndedSetup },
): Promise<string | undefined> {
  const folder = join(ctx.home.attempts, `${run.id}-setup-${ctx.world.token()}`);
  const file = await moveOutput(ended.outputFile, folder, run.redact);
  const at = ctx.world.now();
  const end = ended.exitCode === null ? 'no exit code' : `exit code ${ended.exitCode}`;
  const seconds = (ended.durationMs / 1000).toFixed(1);
  const complete = file === undefined ? '' : `; complete output: ${file}`;
  const lines = [`$ ${ended.command}`, ended.output.trimEnd(), `${end} after ${seconds} s${complete}`];
  const row = {
    attempt,
    file: 'engine' as const,
    generation: ENGINE_GENERATIONS.setup,
    offset: at,
    at,
    kind: ended.succeeded ? 'setup' : 'setup-failed',
    text: run.redact(lines.filter((line) => line !== '').join('\n')),
  };
  await ctx.store.ingest({ attempt, rows: [row], cursors: [] });
  return file;
}

/** Records a failed set-up like a failed check, with its command, its end and its output; other errors are ignored. */
export async function recordFailedSetup(
  ctx: EngineContext,
  run: ActiveRun,
  { task, commit, error }: { task: TaskKey; commit: string; error: unknown },
): Promise<void> {
  const failed = failedSetup(error);
  if (failed === undefined) return;
  const result = { verdict: 'error' as const, summary: messageOf(error), setup: '', ...failed };
  const bound = { tree: await treeOf(run.project.mirror, commit), definition: 'set-up' };
  const evidence = evidenceOf(SETUP_GATE, withoutSecrets(result, run.redact), bound);
  await ctx.submit(run, () => recordGate([task], commit, evidence)).committed;
}

/** What the evidence of a set-up is recorded as. */
export const SETUP_GATE = { name: 'set-up' };

/** Moves a file of output without the secrets in it; undefined on a full disk, where the verdict and the last lines are still recorded. */
async function moveOutput(from: string, folder: string, redact: Redact): Promise<string | undefined> {
  const kept = join(folder, 'output.txt');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyRedacted(from, kept, redact);
    await rm(from);
    return kept;
  } catch {
    await rm(kept, { force: true });
    return undefined;
  }
}

/** A line is split only if it is longer than this. */
const LONGEST_LINE_CHARS = 1024 * 1024;

async function copyRedacted(from: string, to: string, redact: Redact): Promise<void> {
  await using handle = await open(to, 'w', 0o600);
  let pending = '';
  const source = await openPlainHandle(from);
  for await (const chunk of source.createReadStream({ encoding: 'utf8', end: MOST_OUTPUT_BYTES - 1 })) {
    pending += String(chunk);
    const end = pending.length > LONGEST_LINE_CHARS ? pending.length : pending.lastIndexOf('\n') + 1;
    await handle.write(redact(pending.slice(0, end)));
    pending = pending.slice(end);
  }
  await handle.write(redact(pending));
}

/** The results of checks of earlier runs of the project, by tree and definition. */
export function knownProofs(ctx: EngineContext, run: ActiveRun): Map<string, Evidence> {
  const known = new Map<string, Evidence>();
  for (const stored of ctx.store.read(projectStream(run.project.id))) {
    const event = ProjectEvent.safeParse({ type: stored.type, data: stored.data });
    if (!event.success || event.data.type !== 'project.proved') continue;
    const { evidence } = event.data.data;
    if (evidence.verdict === 'pass') known.set(proofKey(evidence), evidence);
    else known.delete(proofKey(evidence));
  }
  return known;
}
