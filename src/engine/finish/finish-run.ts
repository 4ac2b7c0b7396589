import { reportToModels, reportToProject, rewindRun } from '../../core/finish/decide-finish.ts';
import { isReviewed, isUnaffected, type RunVerdict, verdictOf } from '../../core/finish/verdict.ts';
import { recordPushedBranch } from '../../core/land/decide-run-landing.ts';
import { endRun, holdRun } from '../../core/run/decide-run.ts';
import { hasLanded } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { isMaintenanceDue, maintainMirror } from '../../git/mirror/maintain-mirror.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { type PushBranch, type Pushed, pushBranch } from '../../git/push/push.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { Hold } from '../../schema/event.ts';
import { MODELS_STREAM, projectStream } from '../../schema/ids.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { crashpoint } from '../../world.ts';
import { closeRunNetwork, forgetRunNetwork } from '../attempt/network.ts';
import { landOnBase } from '../land/land-on-base.ts';
import { type ActiveRun, type EngineContext, removePrepared } from '../loop/context.ts';
import { outputReader } from '../loop/ledger.ts';
import { landAsPullRequest } from '../pull-requests/land-as-pull-request.ts';
import { settleReview } from '../pull-requests/settle-review.ts';
import { repairBranch } from '../start/open-run.ts';
import { showFailed, writeBack } from './write-back.ts';

type Closed = { kind: 'held'; hold: Hold } | { kind: 'ended'; verdict: RunVerdict };

/** The waits for the lock of another git process. */
const LOCK_DELAYS_MS = [100, 400];

/** Ends a run whose tasks have all ended: pushes its branch, lands on the base if requested, records the end. */
export async function finishRun(
  ctx: EngineContext,
  run: ActiveRun,
  endCommit: { commit: string; reason: string } | undefined,
): Promise<void> {
  if (endCommit !== undefined) await rewindTo(ctx, run, endCommit);
  let notShown: string | undefined;
  await showBranch(ctx, run).catch((error: unknown) => {
    // A cancelled run ends even if its repository was deleted: its work is kept in the mirror.
    if (run.ledger.state.status.kind !== 'cancelling' || isStoreFailure(error)) throw error;
    notShown = messageOf(error);
  });
  const failedNotShown = await showFailed(run);
  const writeBackError = await writeBack(ctx, run);
  const { state } = run.ledger;
  let verdict = withProblems(verdictWith(run), [notShown, failedNotShown, writeBackError]);
  const mustLand =
    state.start.land === 'merge' &&
    !hasLanded(state) &&
    (verdict.status === 'done' || (verdict.status === 'unverified' && isUnaffected(state))) &&
    isReviewed(state) !== false &&
    state.tip.commit !== state.start.base.commit;
  if (mustLand) {
    const outcome = await landOnBase(ctx, run);
    if (outcome.kind === 'held') {
      await ctx.submit(run, (current) => holdRun(current, outcome.hold)).committed;
      return;
    }
    if (verdict.status === 'unverified')
      verdict = { status: 'done', reason: 'the full check passed on the merged result' };
  }
  const closed = await endWithPullRequest(ctx, run, verdict);
  if (closed.kind === 'held') {
    await ctx.submit(run, (current) => holdRun(current, closed.hold)).committed;
    return;
  }
  const network = await closeRunNetwork(ctx, run);
  crashpoint('run.ending');
  const stream = projectStream(run.project.id);
  await ctx.submit(run, (current) => endRun(current, closed.verdict, network), {
    also: [
      { stream, expected: -1, events: reportToProject(state, outputReader(ctx.store, run.id)) },
      {
        stream: MODELS_STREAM,
        expected: -1,
        events: reportToModels(state, { ...closed.verdict, at: ctx.world.now() }),
      },
    ],
  }).committed;
  crashpoint('run.ended');
  {
    const step = { kind: 'dependencies' as const, what: 'removes its prepared workspaces and dependencies' };
    using _step = ctx.activities.begin({ run }, step);
    await removePrepared(run);
  }
  await forgetRunNetwork(ctx, run);
  await run.ledger.snapshot();
  await maintainIfDue(ctx, run);
}

/** Before a person decides, what they decide on is what the run would end with; a failure is repeated, and reported, at the end. */
export async function rewindWhileHeld(...[ctx, run, endCommit]: Parameters<typeof rewindTo>): Promise<void> {
  await rewindTo(ctx, run, endCommit).catch((error: unknown) => {
    if (isStoreFailure(error)) throw error;
  });
}

/** Moves the run branch to the commit on which the recipe ends the run; what is newer stays under a ref. */
async function rewindTo(
  ctx: EngineContext,
  run: ActiveRun,
  endCommit: { commit: string; reason: string },
): Promise<void> {
  if (endCommit.commit === run.ledger.state.tip.commit) return;
  const { mirror } = run.project;
  const tree = await treeOf(mirror, endCommit.commit);
  crashpoint('run.rewinding');
  await ctx.submit(run, (current) => rewindRun(current, { ...endCommit, tree })).committed;
  await repairBranch(run.project, run.ledger.state);
  crashpoint('run.rewound');
}

function withProblems(verdict: RunVerdict, problems: readonly (string | undefined)[]): RunVerdict {
  return { ...verdict, reason: [verdict.reason, ...problems.filter((problem) => problem !== undefined)].join('; ') };
}

/** The verdict of the tasks; a recipe may detect a failure that no single task shows. */
function verdictWith({ ledger, recipe }: ActiveRun): RunVerdict {
  const { state } = ledger;
  const nodes = recipe.nodes?.(state, state.start.input) ?? [];
  const verdict = verdictOf(
    state,
    nodes.filter(({ status, rounds }) => status === 'skipped' && rounds.length === 0).length,
  );
  const isGood = verdict.status === 'done' || verdict.status === 'unverified';
  const failure = isGood ? recipe.failure?.(state, state.start.input) : undefined;
  if (failure !== undefined) return { status: 'failed', reason: failure };
  const shortfall = isGood ? recipe.shortfall?.(state, state.start.input) : undefined;
  if (shortfall === undefined) return verdict;
  return { status: state.tip.commit === state.start.base.commit ? 'failed' : 'partial', reason: shortfall };
}

/** Maintenance that fails does not affect the ended run; it is done after another one. */
async function maintainIfDue(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { mirror } = run.project;
  if (!(await isMaintenanceDue(mirror))) return;
  using _step = ctx.activities.begin({ run }, { kind: 'mirror', what: 'compacts the private mirror' });
  await maintainMirror(mirror).catch(() => {});
}

/** Pushes the run's work to the user's repository as `mh/<run>`; throws the reason where that is refused, except while the run waits for a person. */
export async function showBranch(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { tip, start, pushed } = run.ledger.state;
  if (tip.commit === start.base.commit || pushed === tip.commit) return;
  const branch = `mh/${run.id}`;
  crashpoint('branch.pushing');
  const { mirror, repository } = run.project;
  const result = await pushUnlocked(ctx, {
    mirror,
    repository,
    commit: tip.commit,
    branch,
    expected: pushed,
    mayRewind: true,
  }).catch((error: unknown) => {
    // A run that waits for a person repeats it when it continues.
    if (run.ledger.state.status.kind !== 'held' || isStoreFailure(error)) throw error;
  });
  if (result === undefined) return;
  crashpoint('branch.pushed');
  const isThere = result.kind === 'pushed' || (await isAlready(run, branch, tip.commit));
  if (isThere) await ctx.submit(run, (state) => recordPushedBranch(state, { branch, commit: tip.commit })).committed;
  else if (run.ledger.state.status.kind !== 'held') throw notMoved(result, { branch, commit: tip.commit });
}

/** Pushes a branch; a lock of another git process is usually released soon. */
async function pushUnlocked(ctx: EngineContext, push: PushBranch): Promise<Pushed> {
  for (const delayMs of LOCK_DELAYS_MS) {
    const result = await pushBranch(push);
    if (result.kind === 'pushed' || result.reason !== 'locked') return result;
    await ctx.world.sleep(delayMs);
  }
  return pushBranch(push);
}

function notMoved(
  { reason, detail }: Extract<Pushed, { kind: 'refused' }>,
  { branch, commit }: { branch: string; commit: string },
): AppError {
  if (reason === 'name-taken')
    return new AppError('BRANCH_TAKEN', `A branch conflicts with the name ${branch}: ${detail}`, { branch });
  const why =
    reason === 'moved' || reason === 'not-fast-forward'
      ? 'another user or process moved it; rename or delete it'
      : reason === 'checked-out'
        ? 'it is checked out; check out another branch'
        : detail;
  return new AppError('BRANCH_NOT_MOVED', `${branch} could not be moved to ${commit.slice(0, 10)}: ${why}`, { branch });
}

/** A push whose record was lost in a crash is detected instead of being repeated. */
async function isAlready(run: ActiveRun, branch: string, commit: string): Promise<boolean> {
  const { mirror, repository } = run.project;
  await refreshMirror(mirror, repository);
  return (await readUserBranch(run, branch)) === commit;
}

function readUserBranch(run: ActiveRun, branch: string): Promise<string | undefined> {
  return readRef(run.project.mirror, `refs/user/heads/${branch}`);
}

/** Performs the remaining steps of a run that lands by pull request, and adds their outcome to the verdict. */
async function endWithPullRequest(ctx: EngineContext, run: ActiveRun, verdict: RunVerdict): Promise<Closed> {
  const { state } = run.ledger;
  if (state.start.land !== 'pr' || verdict.status === 'cancelled') return { kind: 'ended', verdict };
  if (run.recipe.pullRequest === 'settle') {
    using _step = ctx.activities.begin({ run }, { kind: 'landing', what: 'completes the pull request at its forge' });
    const end = await settleReview(ctx, run, verdict);
    if (end.kind === 'held') return end;
    return { kind: 'ended', verdict: end.note === undefined ? verdict : { ...verdict, reason: end.note } };
  }
  if (hasLanded(state)) return { kind: 'ended', verdict };
  using _step = ctx.activities.begin({ run }, { kind: 'landing', what: 'opens the pull request' });
  const landing = await landAsPullRequest(ctx, run);
  if (landing.kind === 'landed') return { kind: 'ended', verdict };
  // A failure stays a failure, whatever the outcome of its pull request.
  if (verdict.status !== 'failed' && verdict.status !== 'partial') return landing;
  return { kind: 'ended', verdict: { ...verdict, reason: `${verdict.reason}; ${landing.hold.reason}` } };
}
