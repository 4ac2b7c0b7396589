import { taskMergeMessage } from '../../core/land/commit-message.ts';
import {
  completeLanding,
  conflictLanding,
  failureOnMergedTree,
  heldText,
  holdLanding,
  rejectLanding,
  returnForProof,
} from '../../core/land/decide-landing.ts';
import { propose } from '../../core/land/decide-verification.ts';
import { scopeGates } from '../../gates/gate-kinds.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import { packIfMany } from '../../git/mirror/maintain-mirror.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import type { Hold } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { type CandidateTests, checkAddedTests, isFixTask, type LandingProof } from './added-tests.ts';
import { checkCandidate, commandGates, isApproved, passesWith, selectedChecks } from './check-candidate.ts';
import type { Candidate } from './check-request.ts';
import { informingCommands, recordInforming } from './informing-checks.ts';
import { tracedFiles } from './trace-check.ts';

/** The work of one task merged onto the branch and the tasks before it. */
type MergedTask = { key: TaskKey; commit: string; tree: string; onto: string; tests: CandidateTests | null };

/** The most tasks that are merged and checked together. */
const MAX_BATCH = 32;

/** The ref in the mirror that follows the run's branch. */
export function runRef(run: string): string {
  return `refs/manyhands/runs/${run}`;
}

/**
 * Lands the work of these tasks on the run branch: merged, checked on exactly that tree, then the branch moves.
 * A failing batch is bisected until the bad task is alone; it is retried, the others land.
 */
export async function landTasks(ctx: EngineContext, run: ActiveRun, keys: readonly TaskKey[]): Promise<void> {
  for (const key of keys.filter((candidate) => needsVerification(run, candidate)))
    await proposeForVerification(ctx, run, key);
  const batch = keys.filter((key) => !needsVerification(run, key)).slice(0, MAX_BATCH);
  const chain = await mergeInOrder(ctx, run, batch);
  const last = chain.at(-1);
  if (last === undefined) return;
  const tasks = chain.map((merge) => merge.key);
  const candidate: Candidate = { commit: last.commit, tree: last.tree, tasks };
  const proof = await proveChain(ctx, run, chain, candidate);
  const isAccepted =
    proof.verdict === 'pass' || (proof.verdict === 'held' && tasks.every((key) => isApproved(run, key)));
  if (isAccepted) return moveBranch(ctx, run, candidate);
  if (chain.length === 1) return refuseCandidate(ctx, run, last, proof);
  const half = Math.ceil(tasks.length / 2);
  await landTasks(ctx, run, tasks.slice(0, half));
  await landTasks(ctx, run, tasks.slice(half));
}

/** Checks merged work, and what its added tests prove. */
async function proveChain(
  ctx: EngineContext,
  run: ActiveRun,
  chain: readonly MergedTask[],
  candidate: Candidate,
): Promise<LandingProof> {
  const proof = await checkCandidate(ctx, run, candidate, commandGates(run, candidate.tasks));
  if (proof.verdict === 'pass' || proof.verdict === 'held') await recordInforming(ctx, run, candidate);
  const tests = chain.flatMap((merge) => merge.tests ?? []);
  if (proof.verdict !== 'pass' || tests.length === 0) return proof;
  const owners = chain.flatMap(({ key, tests: own }) =>
    [...(own?.added ?? []), ...(own?.modified ?? [])].map((file) => ({ task: key, file })),
  );
  return checkAddedTests(ctx, run, candidate, {
    onto: run.ledger.state.tip.commit,
    added: tests.flatMap(({ added }) => added),
    modified: tests.flatMap(({ modified }) => modified),
    owners,
  });
}

/** Whether another agent must verify the work before it may land. */
function needsVerification(run: ActiveRun, key: TaskKey): boolean {
  const task = run.ledger.state.tasks[key];
  return task?.spec.verify !== undefined && task.phase.status === 'landing' && !task.phase.verified;
}

/** Merges and checks the work of one task alone; if the checks pass, its verifier gets the merge as it would land. */
async function proposeForVerification(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const [merge] = await mergeInOrder(ctx, run, [key]);
  if (merge === undefined) return;
  const { commit, tree, onto } = merge;
  const proof = await proveChain(ctx, run, [merge], { commit, tree, tasks: [key] });
  if (proof.verdict !== 'pass' && !(proof.verdict === 'held' && isApproved(run, key)))
    return refuseCandidate(ctx, run, merge, proof);
  await saveCandidate(run, commit);
  crashpoint('candidate.proposing');
  await ctx.submit(run, (state) => propose(state, { task: key, candidate: { commit, tree, base: onto } })).committed;
  crashpoint('candidate.proposed');
}

/** Merges tasks one after the other; a conflict with the branch becomes a resolve task, one with an earlier task waits for the next landing. */
async function mergeInOrder(ctx: EngineContext, run: ActiveRun, keys: readonly TaskKey[]): Promise<MergedTask[]> {
  const chain: MergedTask[] = [];
  const tip = run.ledger.state.tip.commit;
  let onto = tip;
  for (const key of keys) {
    const task = run.ledger.state.tasks[key];
    if (task?.phase.status !== 'landing') continue;
    const { commit: theirs, approved } = task.phase;
    const merged = await mergeCommits({
      mirror: run.project.mirror,
      onto,
      theirs,
      message: run.redact(taskMergeMessage(run.ledger.state, task, run.ledger.chainHead)),
      now: ctx.world.now(),
    });
    if (merged.kind === 'unrelated') {
      await rejectTask(ctx, run, key, {
        kind: 'implementation',
        message: 'Its commits share no history with the branch',
      });
    } else if (merged.kind === 'conflict') {
      if (onto === tip)
        await recordConflict(ctx, run, { key, onto: tip, files: merged.files, submodule: merged.submodule });
    } else {
      const merge: MergedTask = { key, commit: merged.commit, tree: merged.tree, onto, tests: null };
      const guarded = approved ? 'free' : await passGuards(ctx, run, merge, chain.length);
      if (guarded === 'settled') continue;
      if (guarded === 'alone' && chain.length > 0) continue;
      chain.push(merge);
      onto = merged.commit;
      if (guarded === 'alone') break;
    }
  }
  return chain;
}

/** `alone`: it changed tests, so it is checked alone, also with the branch's version of them; `settled`: it was held or rejected. */
async function passGuards(
  ctx: EngineContext,
  run: ActiveRun,
  merge: MergedTask,
  position: number,
): Promise<'free' | 'alone' | 'settled'> {
  const { config } = run.ledger.state.start;
  const blocking = blockingFlags(run, merge.key);
  if (blocking.length > 0) {
    await holdTask(ctx, run, merge, { what: 'risk', reason: `Risky: ${blocking.join('; ')}`, files: [] });
    return 'settled';
  }
  const gates = commandGates(run, [merge.key]);
  // What measures a task decides about this task alone, so nobody is asked about a change of it.
  const isMeasured = gates.some(({ measure }) => measure !== undefined);
  const candidate = { commit: merge.commit, tree: merge.tree, tasks: [merge.key] };
  const { held, overlay, tests } = await ctx.implementations.guard({
    mirror: run.project.mirror,
    from: merge.onto,
    to: merge.commit,
    config,
    gates: [
      ...(await selectedChecks(run, candidate)).map(({ gate }) => gate),
      ...informingCommands(run, [merge.key]).map(({ informs: _, ...gate }) => gate),
    ],
    targets: scopeGates(run.ledger.state.tasks[merge.key]?.spec.gates ?? []).flatMap(({ allow }) => allow),
    trace: (gate) => tracedFiles(ctx, run, gate),
  });
  if (held.length > 0) {
    const reason = held.map(heldText).join('; ');
    if (isMeasured) {
      await rejectTask(ctx, run, merge.key, {
        kind: 'implementation',
        message: `It changes what measures it: ${reason}`,
      });
      return 'settled';
    }
    await holdTask(ctx, run, merge, {
      what: 'guard',
      reason: gates.length === 0 ? reason : `It changes what decides how the checks run: ${reason}`,
      files: held.map((file) => file.path),
    });
    return 'settled';
  }
  merge.tests = { onto: merge.onto, ...tests };
  const task = run.ledger.state.tasks[merge.key];
  if (overlay.length === 0) return isMeasured || (task !== undefined && isFixTask(task)) ? 'alone' : 'free';
  if (position > 0) return 'alone';
  const proof = await checkCandidate(ctx, run, candidate, gates);
  if (proof.verdict !== 'pass') {
    await refuseCandidate(ctx, run, merge, proof);
    return 'settled';
  }
  const subject = 'the candidate with the tests of the base';
  const red = await passesWith(ctx, run, candidate, { commit: merge.onto, paths: overlay, subject });
  merge.tests = { onto: merge.onto, added: [], modified: [...tests.added, ...tests.modified] };
  if (red === undefined) return 'alone';
  if (red.verdict === 'error') {
    await refuseCandidate(ctx, run, merge, { verdict: 'error', evidence: red });
    return 'settled';
  }
  const reason = `It changes tests, and with the tests as they were ${red.gate} fails: ${red.summary}`;
  if (isMeasured) {
    await rejectTask(ctx, run, merge.key, { kind: 'implementation', message: reason });
    return 'settled';
  }
  await holdTask(ctx, run, merge, { what: 'guard', reason, files: overlay });
  return 'settled';
}

async function moveBranch(ctx: EngineContext, run: ActiveRun, candidate: Candidate): Promise<void> {
  const { mirror } = run.project;
  const from = run.ledger.state.tip.commit;
  const ref = runRef(run.id);
  crashpoint('branch.swapping');
  await writeRef(mirror, { ref, to: candidate.commit, expected: (await readRef(mirror, ref)) ?? null });
  crashpoint('branch.swapped');
  await ctx.submit(run, (state) =>
    completeLanding(state, { tasks: candidate.tasks, from, commit: candidate.commit, tree: candidate.tree }),
  ).committed;
  crashpoint('branch.recorded');
  await packIfMany(mirror, ctx.stopping);
}

/** Sends work that failed its checks back to its agent; work that passed them with findings waits for a person. */
async function refuseCandidate(
  ctx: EngineContext,
  run: ActiveRun,
  merge: MergedTask,
  proof: Exclude<LandingProof, { verdict: 'pass' }>,
): Promise<void> {
  if (proof.verdict === 'held') return holdTask(ctx, run, merge, { what: 'guard', reason: proof.reason, files: [] });
  if (proof.verdict === 'unproven') {
    await saveCandidate(run, merge.commit);
    const from = { commit: merge.commit, base: merge.onto };
    const what = { task: merge.key, reason: proof.reason, from, now: ctx.world.now() };
    await ctx.submit(run, (state) => returnForProof(state, what)).committed;
    return;
  }
  const failure = failureOnMergedTree(proof.verdict, proof.evidence);
  await saveCandidate(run, merge.commit);
  await rejectTask(ctx, run, merge.key, failure, { commit: merge.commit, base: merge.onto });
}

/** The next attempt starts from the rejected commit, so it is kept under a ref; an existing ref is enough. */
async function saveCandidate(run: ActiveRun, commit: string): Promise<void> {
  const ref = `refs/manyhands/candidates/${run.id}/${commit}`;
  await writeRef(run.project.mirror, { ref, to: commit, expected: null });
}

async function rejectTask(
  ctx: EngineContext,
  run: ActiveRun,
  key: TaskKey,
  failure: Failure,
  from?: { commit: string; base: string },
): Promise<void> {
  const now = ctx.world.now();
  const task = run.ledger.state.tasks[key];
  if (task?.phase.status !== 'landing') return;
  const follow = ctx.implementations.followUp(failure, { attempt: task.attempts.length, now });
  const start = from ?? { commit: task.phase.commit, base: run.ledger.state.tip.commit };
  await ctx.submit(run, (state) => rejectLanding(state, { task: key, failure, follow, from: start, now })).committed;
}

async function recordConflict(
  ctx: EngineContext,
  run: ActiveRun,
  what: { key: TaskKey; onto: string; files: string[]; submodule: boolean },
): Promise<void> {
  if (what.submodule) {
    const task = run.ledger.state.tasks[what.key];
    const commit = task?.phase.status === 'landing' ? task.phase.commit : what.onto;
    const reason = `It conflicts in a submodule (${what.files.join(', ')}), which a person must resolve`;
    await holdTask(
      ctx,
      run,
      { key: what.key, commit, tree: '', onto: what.onto, tests: null },
      { what: 'guard', reason, files: what.files },
    );
    return;
  }
  const { key: task, onto, files } = what;
  await ctx.submit(run, (state) => conflictLanding(state, { task, onto, files, now: ctx.world.now() })).committed;
  crashpoint('conflict.recorded');
}

async function holdTask(ctx: EngineContext, run: ActiveRun, merge: MergedTask, hold: Hold): Promise<void> {
  await ctx.submit(run, (state) => holdLanding(state, { task: merge.key, hold: hold })).committed;
}

/** The risks of a task's last attempt that a person must review before it lands. */
function blockingFlags(run: ActiveRun, key: TaskKey): string[] {
  const flags = run.ledger.state.tasks[key]?.attempts.at(-1)?.ended?.flags ?? [];
  return flags.filter((flag) => flag.blocking).map((flag) => flag.detail);
}
