import { rm } from 'node:fs/promises';
import type { AgentResult } from '../../agents/agent.ts';
import { redactValue } from '../../core/redact.ts';
import { lastAttempt } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { isMaintenanceDue, maintainMirror } from '../../git/mirror/maintain-mirror.ts';
import { exists } from '../../git/path-kind.ts';
import { pushRefsTo } from '../../git/push/transfer.ts';
import type { SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { World } from '../../world.ts';
import { attemptFolder } from '../attempt/assignment.ts';
import {
  attemptWorkspaceOf,
  nextSave,
  removeAttemptWorkspace,
  saveAttemptWorkspace,
} from '../attempt/attempt-workspace.ts';
import { type EndedAttempt, withCriticalPattern, withoutSecrets } from '../attempt/conclude-attempt.ts';
import { endAgentNetwork } from '../attempt/network.ts';
import { performAttempt } from '../attempt/perform-attempt.ts';
import type { ActiveRun } from '../loop/context.ts';
import type { AttemptOrder } from './attempt-order.ts';
import { isRepositoryAway, type OrderedRun } from './ordered-run.ts';

/** How a host finishes an order: what it reports, and whether it still may. */
export type FinishContext = {
  order: AttemptOrder;
  report(body: unknown): Promise<void>;
  /** Aborted when the lease is lost: the work is then late, and only saved. */
  lost: AbortSignal;
  /** Called when nothing of the order is left on this host. */
  forget(): Promise<void>;
  log(line: string): void;
};

const SAVE_DELAYS_MS = [0, 100, 1_000, 3_000];
const PUSH_AGAIN_MS = 3_000;
/** How long a push is repeated that its repository refuses each time; one that it does not answer is repeated until the order is stopped. */
const REFUSED_MS = 60_000;
/** How long an order that is stopped may still push. */
const STOPPED_MS = 60_000;

/** Performs an attempt as the engine would, saves and pushes its work, and reports its end instead of concluding it. */
export async function performOrder(ordered: OrderedRun, finishing: FinishContext): Promise<void> {
  const { ctx, run, task } = ordered;
  const { order } = finishing;
  await performAttempt(ctx, run, task, {
    memory: async () => order.memory,
    progress: async () => order.progress,
    conclude: (_ctx, _run, ended) => finish(ordered, finishing, ended),
  });
}

async function finish(ordered: OrderedRun, finishing: FinishContext, ended: EndedAttempt): Promise<void> {
  const { ctx, run, id } = ordered;
  const { report, lost, log } = finishing;
  const { failure } = ended.outcome.result;
  const result = redactedResult(run, ended.outcome.result);
  if (failure !== undefined)
    result.failure = withoutSecrets(await withCriticalPattern(ctx, run, ended, failure), run.redact);
  const saving = await saveAndPush(ordered, finishing, ended);
  const network = await endAgentNetwork(ctx, id);
  if (saving.failure !== undefined) log(`is not saved: ${saving.failure.message}`);
  if (lost.aborted && (saving.saved === undefined || saving.failure !== undefined))
    throw new AppError(
      'HOST_LOST',
      'The lease of this host was lost; what it has of the order is saved when it starts again',
    );
  if (lost.aborted) log('lost the lease of its host; its work is saved as late work');
  else {
    const stopped = ended.outcome.stopped ?? saving.failure;
    await report({
      kind: 'ended',
      outcome: { ...ended.outcome, result, ...(stopped === undefined ? {} : { stopped }) },
      saved: saving.saved,
      network,
      isUnread: ended.isUnread,
    });
  }
  if (saving.failure === undefined) await removeAll(ordered, finishing, ended.attempt.number);
}

/** The result of an agent without the secrets of this host, which the leader does not know. */
function redactedResult({ redact }: ActiveRun, result: AgentResult): AgentResult {
  const { text, output } = result;
  return { ...result, text: redact(text), ...(output === undefined ? {} : { output: redactValue(output, redact) }) };
}

/** Removes what is left of an attempt whose work is saved elsewhere. */
async function removeAll(
  { ctx, run, task }: OrderedRun,
  { forget }: Pick<FinishContext, 'forget'>,
  number: number,
): Promise<void> {
  // A folder that cannot be removed is listed by clean; its work is saved.
  await removeAttemptWorkspace(ctx, run, task).catch(() => {});
  await rm(attemptFolder(ctx, run, task, number), { recursive: true, force: true }).catch(() => {});
  await forget();
  const { mirror } = run.project;
  // Maintenance that fails does not affect the attempt; it is done after another one.
  if (await isMaintenanceDue(mirror)) await maintainMirror(mirror, ctx.stopping).catch(() => {});
}

/** Saves and pushes the work of an order that an earlier process could not report, as late work; its attempt was ended by the leader. */
export async function saveLateWork(
  ordered: OrderedRun,
  { order, forget, log }: Pick<FinishContext, 'order' | 'forget' | 'log'>,
): Promise<void> {
  const { ctx, run, task } = ordered;
  const attempt = lastAttempt(task);
  const workspace = await attemptWorkspaceOf(ctx, run, task);
  if (attempt === undefined) return;
  if (workspace.excluded !== undefined && (await exists(workspace.path))) {
    const save = await nextSave(run, task, attempt.number);
    await saveAttemptWorkspace(run, task, workspace, { number: attempt.number, save });
    const refusal = await push(ordered, { git: order.git, lost: AbortSignal.abort(), log });
    if (refusal !== undefined) throw new AppError('GIT_FAILED', unpushed(workspace.path, refusal));
  }
  await removeAll(ordered, { forget }, attempt.number);
}

/** The report of an attempt that could not be performed at all; one that was stopped, or whose repository does not answer, is tried again. */
export function failedAttempt(error: unknown, isStopped: boolean): unknown {
  const kind = isStopped ? 'interrupted' : isRepositoryAway(error) ? 'network' : 'environment';
  const stopped = { kind, message: `The host could not perform it: ${messageOf(error)}` };
  return { kind: 'ended', outcome: { result: { usage: { kind: 'none' }, text: '' }, stopped } };
}

type Saving = { saved?: SavedWork; failure?: Failure };

async function saveAndPush(
  ordered: OrderedRun,
  { order, lost, log }: Pick<FinishContext, 'order' | 'lost' | 'log'>,
  ended: EndedAttempt,
): Promise<Saving> {
  const saving = await save(ordered, ended);
  const path = ended.workspace?.path;
  if (saving.saved === undefined || path === undefined) return saving;
  const refusal = await push(ordered, { git: order.git, lost, log });
  return refusal === undefined ? saving : { failure: { kind: 'environment', message: unpushed(path, refusal) } };
}

function unpushed(path: string, refusal: string): string {
  return `The repository of the hosts (hosts.git) did not accept its work, which is kept on the host in ${path}: ${refusal}`;
}

async function save({ ctx, run, task }: OrderedRun, { workspace, attempt, outcome }: EndedAttempt): Promise<Saving> {
  if (workspace === undefined) return {};
  let problem: unknown;
  for (const delayMs of SAVE_DELAYS_MS) {
    if (delayMs > 0) await ctx.world.sleep(delayMs);
    try {
      const number = attempt.number;
      const summary = run.redact(outcome.result.text);
      const save = await nextSave(run, task, number);
      return { saved: await saveAttemptWorkspace(run, task, workspace, { number, save, summary }) };
    } catch (error) {
      problem = error;
      if (error instanceof AppError && error.code === 'WORK_TOO_LARGE') break;
    }
  }
  const message = `Its work could not be saved, and is kept in ${workspace.path}: ${messageOf(problem)}`;
  return { failure: { kind: 'environment', message } };
}

/**
 * Pushes the saved work, as late work once the lease is lost; returns why its repository does not have it. A repository
 * that does not answer is waited for until the order is stopped; late work is tried once, and again by the next process.
 */
async function push(
  { ctx, run, task, id }: OrderedRun,
  { git, lost, log }: { git: AttemptOrder['git'] } & Pick<FinishContext, 'lost' | 'log'>,
): Promise<string | undefined> {
  const { url, token } = git;
  const { mirror } = run.project;
  const prefix = `refs/manyhands/attempts/${id}/`;
  const interrupt = run.interrupts.get(task.spec.key)?.signal;
  const stop = AbortSignal.any([ctx.stopping, ...(interrupt === undefined ? [] : [interrupt])]);
  using over = abortedAfter(stop, STOPPED_MS, ctx.world);
  let refusedSince: number | undefined;
  for (let tries = 1; ; tries += 1) {
    const isLate = lost.aborted;
    const signal = isLate ? over.signal : AbortSignal.any([lost, over.signal]);
    const transfer = { mirror, url, token, signal };
    const late = `refs/manyhands/late/${id}/`;
    const pushing = isLate ? pushRefsTo(transfer, prefix, late) : ctx.transfers.push(transfer, prefix);
    const pushed = await pushing.catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (lost.aborted && !isLate) continue;
    if (pushed?.kind === 'done') return undefined;
    const isRefused = pushed !== undefined && pushed.reason !== 'unreachable';
    refusedSince = isRefused ? (refusedSince ?? ctx.world.now()) : undefined;
    const isFinal = refusedSince !== undefined && ctx.world.now() - refusedSince >= REFUSED_MS;
    if (isLate || over.signal.aborted || isFinal)
      return pushed?.detail ?? 'it was stopped before the repository answered';
    if (tries === 1) log(`waits for the repository of the hosts (hosts.git): ${pushed?.detail ?? 'no answer'}`);
    // Safe: the pause ends early only when the order is over, or its work is late.
    await ctx.world.sleep(PUSH_AGAIN_MS, signal).catch(() => {});
  }
}

/** Aborted some time after another signal, so that what is nearly done can be finished. */
function abortedAfter(stop: AbortSignal, delayMs: number, world: World): Disposable & { signal: AbortSignal } {
  const over = new AbortController();
  let cancel = () => {};
  const begin = () => {
    cancel = world.alarm(world.now() + delayMs, () => over.abort());
  };
  stop.addEventListener('abort', begin, { once: true });
  if (stop.aborted) begin();
  return {
    signal: over.signal,
    [Symbol.dispose]: () => {
      stop.removeEventListener('abort', begin);
      cancel();
    },
  };
}
