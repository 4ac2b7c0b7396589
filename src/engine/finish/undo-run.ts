import { undoLanding } from '../../core/finish/decide-finish.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { isSatisfied } from '../../gates/gate-kinds.ts';
import { isAncestor, type LandedCommit, planUndo, type UndoPlan } from '../../git/merge/undo.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { withMutex } from '../../git/mutex.ts';
import { pushBranch } from '../../git/push/push.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import { readRefs } from '../../git/refs/refs.ts';
import type { Origin } from '../../schema/actor.ts';

import type { UndoResult } from '../../schema/change.ts';
import type { StoredEvent } from '../../store/store.ts';
import { crashpoint } from '../../world.ts';
import { checkCandidate, commandGates } from '../land/check-candidate.ts';
import { trustedNow } from '../land/land-on-base.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { parseEvent } from '../loop/ledger.ts';
import { removeBranch } from './remove-branch.ts';

/** The commits of a run on a branch, oldest first. */
type LandedCommits = { branch: string; commits: LandedCommit[] };

const LANDING_EVENTS = new Set(['tasks.landed', 'run.rewound', 'run.undone', 'run.landed']);

export type UndoRequest = { dryRun: boolean; branch: boolean; reason: string; origin: Origin };

type Reverted = NonNullable<UndoResult['reverted']>;
type Gates = ReturnType<typeof commandGates>;

/** How often a branch that moves concurrently is tried again before a person must act. */
const MAX_RACES = 5;

/** Reverts a landed run with a new commit, only where git proves it safe and the checks pass without it; history is never rewritten. */
export async function undoRun(ctx: EngineContext, run: ActiveRun, request: UndoRequest): Promise<UndoResult> {
  return withMutex(`undo ${run.id}`, async () => {
    const { state } = run.ledger;
    requireEnded(state);
    const landed = landedCommitsOf(ctx.store.read(run.ledger.stream));
    const isOnBase = landed !== undefined && state.undone === null;
    if (!isOnBase && !request.branch) throw nothingToUndo(state);
    const notes: string[] = [];
    const reverted = isOnBase ? await revert(ctx, run, { ...request, landed, notes }) : null;
    const { dryRun, origin } = request;
    const deleted = request.branch ? await removeBranch(ctx, run, { dryRun, origin, notes }) : null;
    return { run: run.id, dryRun: request.dryRun, reverted, deleted, notes };
  });
}

type RevertRequest = UndoRequest & { landed: LandedCommits; notes: string[] };

async function revert(ctx: EngineContext, run: ActiveRun, request: RevertRequest): Promise<Reverted> {
  const { branch, commits } = request.landed;
  const { mirror, repository } = run.project;
  const gates = gatesToPass(run, request.notes);
  for (let race = 0; race < MAX_RACES; race += 1) {
    await refreshMirror(mirror, repository);
    const onto = await readRef(mirror, `refs/user/heads/${branch}`);
    if (onto === undefined) throw unsafe(`the branch ${branch} no longer exists`, []);
    const pushedRevert = await findPushedRevert(run, commits, onto);
    if (pushedRevert !== undefined && request.dryRun) throw unrecorded(run, pushedRevert);
    if (pushedRevert !== undefined)
      return record(
        ctx,
        run,
        { branch, commit: pushedRevert, from: onto, reason: request.reason, origin: request.origin },
        [],
      );
    const plan = requireRevert(await plannedUndo(ctx, run, { onto, commits, branch }), branch);
    const files = plan.files;
    if (request.dryRun)
      return { branch, commit: null, files, checks: gates.map(({ name }) => ({ gate: name, verdict: null })) };
    const proof = await checkCandidate(ctx, run, { commit: plan.commit, tree: plan.tree, tasks: [] }, gates);
    if (proof.verdict === 'fail' || proof.verdict === 'error')
      throw unsafe(`${proof.evidence.gate} does not pass without it: ${proof.evidence.summary}`, []);
    if (!(await move(ctx, run, { branch, commit: plan.commit, onto }))) continue;
    const reverted = await record(
      ctx,
      run,
      { branch, commit: plan.commit, from: onto, reason: request.reason, origin: request.origin },
      files,
    );
    return { ...reverted, checks: gates.map(({ name }) => ({ gate: name, verdict: 'pass' })) };
  }
  throw unsafe(`${branch} moved ${MAX_RACES} times while it was being checked`, []);
}

/** A check that failed before the run need not pass without it. */
function gatesToPass(run: ActiveRun, notes: string[]): Gates {
  const { state } = run.ledger;
  const red = new Set(
    (state.baseEvidence ?? []).filter(({ verdict }) => !isSatisfied(verdict)).map(({ gate }) => gate),
  );
  const gates = commandGates(run, state.order).filter(({ own }) => own !== true);
  for (const { name } of gates)
    if (red.has(name)) notes.push(`${name} failed before the run and is not required to pass.`);
  return gates.filter(({ name }) => !red.has(name));
}

async function plannedUndo(
  ctx: EngineContext,
  run: ActiveRun,
  { onto, commits, branch }: { onto: string; commits: readonly LandedCommit[]; branch: string },
): Promise<UndoPlan> {
  const { start } = run.ledger.state;
  return planUndo({
    mirror: run.project.mirror,
    onto,
    landings: commits,
    base: start.base.commit,
    message: `Revert mh/${run.id}: ${run.redact(start.title)}\n\nThis reverts what the run landed on ${branch}.\n\nManyhands-Undo: ${run.id}\n`,
    now: ctx.world.now(),
    signal: ctx.stopping,
  });
}

function requireRevert(plan: UndoPlan, branch: string): Extract<UndoPlan, { kind: 'revert' }> {
  switch (plan.kind) {
    case 'revert':
      return plan;
    case 'gone':
      throw unsafe(`${branch} no longer contains its landing`, []);
    case 'unknown':
      throw unsafe(
        `how ${plan.commit.slice(0, 10)} landed on ${branch} is not recorded, so what to revert is not certain`,
        [],
      );
    case 'conflict':
      throw unsafe(`later commits changed the same lines in ${plan.files.join(', ')}`, plan.files);
    case 'nothing':
      throw new AppError('REFUSED', `Nothing of the run is left on ${branch}: it was reverted already`);
  }
}

/** Moves the branch forward to the revert, which is stored under a ref first, so that it is found after a crash. */
async function move(
  ctx: EngineContext,
  run: ActiveRun,
  { branch, commit, onto }: { branch: string; commit: string; onto: string },
): Promise<boolean> {
  const { mirror, repository } = run.project;
  await writeRef(mirror, { ref: `${undoRefs(run)}/${commit}`, to: commit, expected: null });
  crashpoint('undo.pushing');
  const trust = await trustedNow(ctx, run);
  const pushed = await pushBranch({ mirror, repository, commit, branch, expected: onto, updateCheckout: true, trust });
  crashpoint('undo.pushed');
  if (pushed.kind === 'pushed') return true;
  if (pushed.reason === 'moved' || pushed.reason === 'not-fast-forward') return false;
  if (pushed.reason === 'dirty')
    throw new AppError(
      'CHECKOUT_DIRTY',
      `${branch} is checked out with ${pushed.command === undefined ? 'conflicts' : 'uncommitted changes'}: ${pushed.files.slice(0, 5).join(', ') || pushed.detail}`,
      { branch, files: pushed.files, command: pushed.command },
    );
  throw unsafe(`${branch} could not be moved (${pushed.reason}): ${pushed.detail}`, []);
}

/** A revert that an earlier call pushed and could not record. */
async function findPushedRevert(
  run: ActiveRun,
  commits: readonly LandedCommit[],
  onto: string,
): Promise<string | undefined> {
  const { mirror } = run.project;
  const last = commits.at(-1);
  for (const commit of (await readRefs(mirror.dir, undoRefs(run))).values()) {
    const isAfter = last !== undefined && (await isAncestor(mirror, last.commit, commit));
    if (isAfter && (await isAncestor(mirror, commit, onto))) return commit;
  }
  return undefined;
}

type Undone = { branch: string; commit: string; from: string; reason: string; origin: Origin };

async function record(
  ctx: EngineContext,
  run: ActiveRun,
  { origin, ...undone }: Undone,
  files: Reverted['files'],
): Promise<Reverted> {
  await ctx.submit(run, (state) => undoLanding(state, undone), { origin }).committed;
  crashpoint('undo.recorded');
  return { branch: undone.branch, commit: undone.commit, files, checks: [] };
}

function undoRefs(run: ActiveRun): string {
  return `refs/manyhands/undo/${run.id}`;
}

function requireEnded({ status, start }: RunState): void {
  if (status.kind === 'ended') return;
  throw new AppError(
    'REFUSED',
    `Run ${start.run} has not ended; wait for it with manyhands wait ${start.run}, or cancel it`,
    { run: start.run },
  );
}

function nothingToUndo({ start, undone, tip, pushed }: RunState): AppError {
  const { run } = start;
  if (undone !== null)
    return new AppError('REFUSED', `Run ${run} was already undone: ${undone.commit.slice(0, 10)} on ${undone.branch}`, {
      run,
    });
  if (tip.commit === start.base.commit || pushed === null)
    return new AppError('REFUSED', `Run ${run} changed nothing in your repository`, { run });
  const text = `Run ${run} landed only on its branch mh/${run}, and nothing was removed; delete the branch with manyhands undo ${run} --branch`;
  return new AppError('REFUSED', text, { run });
}

function unrecorded(run: ActiveRun, commit: string): AppError {
  const text = `${commit.slice(0, 10)} reverted run ${run.id} already; manyhands undo ${run.id} records that`;
  return new AppError('REFUSED', text, { run: run.id, commit });
}

function unsafe(reason: string, files: readonly string[]): AppError {
  return new AppError('UNDO_UNSAFE', `It cannot be reverted safely: ${reason}`, { files });
}

/** The landings of a run that were not reverted; undefined when there are none. Only merges into a branch can be undone. */
function landedCommitsOf(events: readonly StoredEvent[]): LandedCommits | undefined {
  let tip = '';
  let found: LandedCommits | undefined;
  for (const stored of events) {
    if (!LANDING_EVENTS.has(stored.type)) continue;
    const event = parseEvent(stored);
    if (event.type === 'tasks.landed' || event.type === 'run.rewound') tip = event.data.commit;
    if (event.type === 'run.undone') found = undefined;
    if (event.type !== 'run.landed') continue;
    const { branch, commit, how, url } = event.data;
    if (how !== 'merge')
      throw new AppError('REFUSED', `The run landed by ${how}; revert it there: ${url ?? branch}`, { how, url });
    if (found?.commits.at(-1)?.commit === commit) continue;
    const landing = { commit, tip: event.data.tip ?? tip, from: event.data.from };
    found = { branch, commits: [...(found?.branch === branch ? found.commits : []), landing] };
  }
  return found;
}
