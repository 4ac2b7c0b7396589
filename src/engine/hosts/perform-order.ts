import { rm } from 'node:fs/promises';
import { lastAttempt } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { exists } from '../../git/path-kind.ts';
import { pushRefs } from '../../git/push/transfer.ts';
import type { SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import { attemptFolder } from '../attempt/assignment.ts';
import {
  attemptWorkspaceOf,
  nextSave,
  removeAttemptWorkspace,
  saveAttemptWorkspace,
} from '../attempt/attempt-workspace.ts';
import { type EndedAttempt, withCriticalPattern } from '../attempt/conclude-attempt.ts';
import { endAgentNetwork } from '../attempt/network.ts';
import { performAttempt } from '../attempt/perform-attempt.ts';
import type { AttemptOrder } from './attempt-order.ts';
import type { OrderedRun } from './ordered-run.ts';

/** How a host finishes an order: what it reports, and whether it still may. */
export type Finishing = {
  order: AttemptOrder;
  report(body: unknown): Promise<void>;
  /** Aborted when the lease is lost: the work is then late, and only saved. */
  lost: AbortSignal;
};

const SAVE_DELAYS_MS = [0, 100, 1_000, 3_000];
const PUSH_AGAIN_MS = 3_000;

/** Performs an attempt as the engine would, saves and pushes its work, and reports its end instead of concluding it. */
export async function performOrder(ordered: OrderedRun, finishing: Finishing): Promise<void> {
  const { ctx, run, task } = ordered;
  const { order } = finishing;
  await performAttempt(ctx, run, task, {
    memory: async () => order.memory,
    progress: async () => order.progress,
    conclude: (_ctx, _run, ended) => finish(ordered, finishing, ended),
  });
}

async function finish(ordered: OrderedRun, { order, report, lost }: Finishing, ended: EndedAttempt): Promise<void> {
  const { ctx, run, task, id } = ordered;
  const { failure } = ended.outcome.result;
  const result = { ...ended.outcome.result };
  if (failure !== undefined) result.failure = await withCriticalPattern(ctx, run, ended, failure);
  const saving = await save(ordered, ended);
  const network = await endAgentNetwork(ctx, id);
  if (saving.saved !== undefined) await push(ordered, { git: order.git, lost });
  if (lost.aborted) throw new AppError('HOST_LOST', 'The lease of this host was lost');
  const stopped = ended.outcome.stopped ?? saving.failure;
  await report({
    kind: 'ended',
    outcome: { ...ended.outcome, result, ...(stopped === undefined ? {} : { stopped }) },
    saved: saving.saved,
    network,
    isUnread: ended.isUnread,
  });
  if (saving.failure !== undefined) return;
  // A folder that cannot be removed is listed by clean; its work is saved.
  await removeAttemptWorkspace(ctx, run, task).catch(() => {});
  await rm(attemptFolder(ctx, run, task, ended.attempt.number), { recursive: true, force: true }).catch(() => {});
}

/** Saves and pushes the work of an order that an earlier process could not report, as late work; its attempt was ended by the leader. */
export async function saveLateWork(ordered: OrderedRun, order: AttemptOrder): Promise<void> {
  const { ctx, run, task } = ordered;
  const attempt = lastAttempt(task);
  const workspace = await attemptWorkspaceOf(ctx, run, task);
  if (attempt === undefined) return;
  if (workspace.excluded !== undefined && (await exists(workspace.path))) {
    const save = await nextSave(run, task, attempt.number);
    await saveAttemptWorkspace(run, task, workspace, { number: attempt.number, save });
    await push(ordered, { git: order.git, lost: AbortSignal.abort() });
    await removeAttemptWorkspace(ctx, run, task).catch(() => {});
  }
  await rm(attemptFolder(ctx, run, task, attempt.number), { recursive: true, force: true });
}

type Saving = { saved?: SavedWork; failure?: Failure };

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

/** Pushes the saved work until its repository has it; as late work once the lease is lost. */
async function push(
  { ctx, run, id }: OrderedRun,
  { git, lost }: { git: AttemptOrder['git']; lost: AbortSignal },
): Promise<void> {
  const { url, token } = git;
  const prefix = `refs/manyhands/attempts/${id}/`;
  for (;;) {
    const to = lost.aborted ? `refs/manyhands/late/${id}/` : prefix;
    const pushed = await pushRefs({ mirror: run.project.mirror, url, token }, prefix, to);
    if (pushed.kind === 'done') return;
    // The next process of this host finds it and tries again.
    if (lost.aborted && ctx.stopping.aborted) throw new AppError('GIT_FAILED', `It was not pushed: ${pushed.detail}`);
    await ctx.world.sleep(PUSH_AGAIN_MS);
  }
}
