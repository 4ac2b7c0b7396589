import { join } from 'node:path';
import { recordGate } from '../../core/land/decide-landing.ts';
import { hasDelegated } from '../../core/run/request-task.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { GateResult } from '../../gates/gate.ts';
import { forbidsWork, handoffGate, inspectionGates, requiresChange, scopeGates } from '../../gates/gate-kinds.ts';
import { showFile } from '../../git/read/diff.ts';
import type { RunEvent, SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { GateSpec } from '../../schema/gate.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { crashpoint } from '../../world.ts';
import { evidenceOf, withoutSecrets } from '../land/evidence.ts';
import type { RunningStep } from '../loop/activities.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { attemptFolder } from './assignment.ts';
import { noChangeFailure } from './attempt-digest.ts';
import { containCommands } from './containment.ts';
import type { Outcome } from './supervise.ts';

/** What the inspection gates found in the work of an attempt. */
export type Inspection = {
  /** Why the work may not land, if it may not. */
  failure?: Failure;
  /** Secrets in the attempt's own output, or in commits that it left behind. */
  exposed: number;
  /** Findings that a person must decide on. */
  held: string[];
  /** What it changed outside its scope. */
  outOfScope?: string;
  /** The evidence, recorded together with the attempt's end. */
  events: RunEvent[];
};

type InspectionRequest = {
  task: TaskState;
  attempt: AttemptState;
  saved: SavedWork | undefined;
  /** A failure that is already known: such work is not inspected. */
  failure: Failure | undefined;
  step: RunningStep;
};

const CONFLICT_MARKER = /^(<{7}|>{7}|\|{7})( |$)/m;
/** Length of what a handoff gate found, in the failure of the attempt. */
const MESSAGE_CHARS = 4_000;
const NOTHING: Inspection = { exposed: 0, held: [], events: [] };

type Inspected = { gate: GateSpec; result: GateResult };

/** Inspects the saved work of an attempt on the raw data; what is recorded contains no secrets. */
export async function inspectWork(ctx: EngineContext, run: ActiveRun, request: InspectionRequest): Promise<Inspection> {
  const { task, saved } = request;
  const gates = gatesFor(run, task);
  if (request.failure !== undefined || saved === undefined || gates.length === 0) return NOTHING;
  crashpoint('inspection.starting');
  const found: Inspected[] = [];
  for (const gate of gates) {
    request.step.update({ kind: 'check', what: `check on the attempt: ${gate.name}` });
    found.push({ gate, result: withoutSecrets(await inspect(ctx, run, { ...request, saved, gate }), run.redact) });
  }
  crashpoint('inspection.done');
  // Of two gates with one name the failed one must be visible: it is recorded last.
  const ordered = [...found].sort((a, b) => Number(a.result.verdict !== 'pass') - Number(b.result.verdict !== 'pass'));
  const failure = failureOf(found, task);
  const outOfScope = found.find(({ gate, result }) => result.verdict === 'fail' && scopeGates([gate]).length > 0);
  return {
    exposed: found.reduce((sum, { result }) => sum + (result.exposed ?? 0), 0),
    held: found
      .filter(({ result }) => result.verdict === 'held')
      .map(({ gate, result }) => `${gate.name}: ${result.summary}`),
    events: ordered.flatMap((each) =>
      recordGate(
        [task.spec.key],
        saved.commit,
        evidenceOf(each.gate, each.result, { tree: saved.tree, definition: definitionOf(ctx, run, each.gate) }),
      ),
    ),
    ...(outOfScope === undefined ? {} : { outOfScope: outOfScope.result.summary }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The work of a resolver must also pass the gates of the task whose conflict it resolves. */
function gatesFor(run: ActiveRun, task: TaskState): GateSpec[] {
  const resolved = task.spec.resolves === undefined ? undefined : run.ledger.state.tasks[task.spec.resolves];
  const gates = new Map<string, GateSpec>();
  for (const gate of inspectionGates([...task.spec.gates, ...(resolved?.spec.gates ?? [])]))
    gates.set(JSON.stringify(gate), gate);
  return [...gates.values()];
}

/** Stopping the engine does not abort the inspection, because the attempt has already been paid for. */
async function inspect(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt, saved, gate }: InspectionRequest & { saved: SavedWork; gate: GateSpec },
): Promise<GateResult> {
  const { signal } = run.cancel;
  const folder = attemptFolder(ctx, run, task, attempt.number);
  try {
    return await ctx.implementations.checkGate(gate, {
      changed: [],
      output: undefined,
      outputSchema: undefined,
      folder: join(ctx.home.attempts, `${run.id}-gate-${ctx.world.token()}`),
      env: childEnvironment(ctx.env),
      ...(await containCommands(ctx, run, 'check')),
      checkout: () => Promise.reject(new Error('saved work is inspected without a checkout')),
      work: {
        mirror: run.project.mirror,
        base: attempt.base,
        commit: saved.commit,
        kept: `${saved.ref}-kept`,
        stdout: join(folder, 'stdout'),
        stderr: join(folder, 'stderr'),
      },
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'NO_SPACE') throw error;
    const summary = `It could not be inspected: ${messageOf(error)}`;
    return { verdict: 'error', summary, exitCode: null, setup: '', durationMs: 0 };
  }
}

function failureOf(found: readonly Inspected[], task: TaskState): Failure | undefined {
  const red = found.filter(({ result }) => result.verdict === 'fail');
  const failedGate = found.find(({ result }) => result.verdict === 'error');
  const [first] = red;
  if (first === undefined)
    return failedGate && { kind: 'environment', message: messageFor(failedGate.gate, failedGate.result.summary) };
  const evidence = red.map(({ gate, result }) => `${gate.name}: ${result.output ?? result.summary}`).join('\n\n');
  const violation = red.find(({ gate }) => forbidsWork(gate));
  const { gate, result } = violation ?? first;
  const message = messageFor(gate, result.summary);
  if (violation === undefined) return { kind: 'verification', message, evidence };
  const outside = red.every(({ result: each }) => each.outside !== undefined)
    ? [...new Set(red.flatMap(({ result: each }) => each.outside ?? []))]
    : [];
  return {
    kind: wasRejectedBefore(task, gate) ? 'refused' : 'implementation',
    message,
    evidence,
    ...(outside.length === 0 ? {} : { outside }),
  };
}

function messageFor(gate: GateSpec, summary: string): string {
  return `${gate.name}: ${summary}`;
}

/** Whether an earlier attempt, since a person last retried the task, failed for the same reason. */
function wasRejectedBefore(task: TaskState, gate: GateSpec): boolean {
  const failedHere = ({ ended }: AttemptState) => ended?.failure?.message.startsWith(messageFor(gate, '')) === true;
  return task.counted > 0 && task.attempts.some(failedHere);
}

function definitionOf(ctx: EngineContext, run: ActiveRun, gate: GateSpec): string {
  return ctx.implementations.definition(gate, run.ledger.state.start.config);
}

/** The files of a resolved conflict that still contain conflict markers. */
async function filesWithMarkers(run: ActiveRun, task: TaskState, saved: SavedWork): Promise<string[]> {
  const resolved = task.spec.resolves === undefined ? undefined : run.ledger.state.tasks[task.spec.resolves];
  if (resolved?.phase.status !== 'conflicted') return [];
  const remaining: string[] = [];
  for (const file of resolved.phase.files) {
    if (CONFLICT_MARKER.test((await showFile(run.project.mirror, saved.commit, file)) ?? '')) remaining.push(file);
  }
  return remaining;
}

/** The gates of the attempt itself: something changed, the handoff is usable, no conflict marker remains. */
export async function judgeAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  { task, outcome, saved }: { task: TaskState; outcome: Outcome; saved: SavedWork | undefined },
): Promise<Failure | undefined> {
  if (requiresChange(task.spec.gates) && saved?.changed !== true && !hasDelegated(run.ledger.state, task.spec.key)) {
    return noChangeFailure(outcome.digest);
  }
  const remaining = saved === undefined ? [] : await filesWithMarkers(run, task, saved);
  if (remaining.length > 0) {
    return { kind: 'implementation', message: `Conflict markers are left in ${remaining.join(', ')}` };
  }
  if (task.spec.access === 'read' && outcome.result.output === undefined && outcome.result.text.trim() === '') {
    return { kind: 'bad-output', message: 'It ended without an answer' };
  }
  return judgeHandoff(ctx, run, task, outcome.result.output);
}

async function judgeHandoff(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  output: unknown,
): Promise<Failure | undefined> {
  const gate = handoffGate(task.spec.gates);
  const schema = task.spec.outputSchema ?? run.roles.get(task.spec.role)?.output;
  if (gate === undefined || schema === undefined) return undefined;
  const result = await ctx.implementations.checkGate(gate, {
    changed: [],
    output,
    outputSchema: schema,
    folder: ctx.home.attempts,
    env: {},
    checkout: () => Promise.reject(new Error('a handoff is checked without a checkout')),
    signal: ctx.stopping,
  });
  if (result.verdict !== 'pass')
    return {
      kind: 'bad-output',
      message: [result.summary, ...(result.output?.split('\n') ?? [])].slice(0, 3).join(' ').slice(0, MESSAGE_CHARS),
      ...(result.output === undefined ? {} : { evidence: result.output }),
    };
  const refusal = run.recipe.accept?.(task, output);
  return refusal === undefined ? undefined : { kind: 'bad-output', message: refusal };
}
