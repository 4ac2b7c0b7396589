import { loadConfig } from '../../config/load.ts';
import { runMergeMessage } from '../../core/land/commit-message.ts';
import { recordBaseLanding } from '../../core/land/decide-run-landing.ts';
import { isSubjectApproved } from '../../core/run/holds.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { type BlockingFiles, pushBranch } from '../../git/push/push.ts';
import { pushToRemote } from '../../git/push/push-remote.ts';
import { readRemote } from '../../git/push/remote.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { branchAt, readRef } from '../../git/refs/mirror-refs.ts';
import type { Origin } from '../../schema/actor.ts';
import type { Hold } from '../../schema/event.ts';
import { crashpoint } from '../../world.ts';
import { writtenFiles } from '../finish/write-back.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { notPushed, refusalText } from '../pull-requests/land-as-pull-request.ts';
import { checkCandidate, commandGates } from './check-candidate.ts';

export type BaseLanding = { kind: 'landed' } | { kind: 'held'; hold: Hold };

/** How often a base that moves concurrently is tried again before a person must act. */
const MAX_RACES = 5;
const MOST_NAMED = 5;
/** Enough to identify a tree in a command. */
const TREE_DIGITS = 12;

export type LandOptions = {
  origin?: Origin;
  /** The tree whose findings a person accepts, or its first digits. */
  accept?: string;
};

/**
 * Lands the run branch on its base: merged with the current base, checked on exactly that tree, moved only fast-forward.
 * Findings on that tree wait for a person, as those of a task do.
 */
export async function landOnBase(
  ctx: EngineContext,
  run: ActiveRun,
  { origin, accept }: LandOptions = {},
): Promise<BaseLanding> {
  const { start } = run.ledger.state;
  const { branch } = start.base;
  const { mirror, repository } = run.project;
  if (branch === null) {
    const target = await branchAt(mirror, start.base.commit);
    const onto = target === undefined ? 'git switch -c my-branch' : `git switch ${target}`;
    return held('The run started from a commit, not from a branch', `${onto} && git merge mh/${run.id}`);
  }
  using _step = ctx.activities.begin({ run }, { kind: 'landing', what: `lands on ${branch}` });
  for (let race = 0; race < MAX_RACES; race += 1) {
    await refreshMirror(mirror, repository);
    const current = await readRef(mirror, `refs/user/heads/${branch}`);
    const isNew = current === undefined && start.base.create === true && run.ledger.state.landed === null;
    if (current === undefined && !isNew) return held(`The branch ${branch} no longer exists`);
    const candidate = await candidateOn(ctx, run, { base: current ?? start.base.commit, branch, accept });
    if ('hold' in candidate) return { kind: 'held', hold: candidate.hold };
    crashpoint('base.pushing');
    const pushed = await pushBranch({
      mirror,
      repository,
      commit: candidate.commit,
      branch,
      expected: current ?? null,
      updateCheckout: true,
      trust: await trustedNow(ctx, run),
      keep: writtenFiles(run),
    });
    crashpoint('base.pushed');
    if (pushed.kind === 'pushed') {
      const refused = await pushBase(ctx, run, { branch, commit: candidate.commit });
      if (refused !== undefined) return held(refused);
      const landing = { branch, ...candidate, from: current ?? start.base.commit };
      await ctx.submit(run, () => recordBaseLanding(landing), { origin }).committed;
      return { kind: 'landed' };
    }
    if (pushed.reason !== 'moved' && pushed.reason !== 'not-fast-forward') {
      if (pushed.reason === 'dirty') return heldByFiles(run, branch, pushed);
      return held(`${branch} could not be updated (${pushed.reason}): ${pushed.detail}`, `manyhands land ${run.id}`);
    }
  }
  return held(
    `${branch} moved ${MAX_RACES} times while it was being checked; land it when nothing else is landing`,
    `manyhands land ${run.id}`,
  );
}

/** What the user trusts: recorded with the run, or since then. */
export async function trustedNow(ctx: EngineContext, run: ActiveRun): Promise<Record<string, string>> {
  const recorded = run.ledger.state.start.config.trust;
  // Settings that cannot be read now trust nothing more.
  const current = await loadConfig({ env: ctx.env, dir: run.project.repository.root }).catch(() => undefined);
  return { ...recorded, ...current?.trust };
}

type Target = { base: string; branch: string; accept: string | undefined };

async function candidateOn(
  ctx: EngineContext,
  run: ActiveRun,
  { base, branch, accept }: Target,
): Promise<{ commit: string; tip: string } | { hold: Hold }> {
  const { tip } = run.ledger.state;
  const merged = await mergeCommits({
    mirror: run.project.mirror,
    onto: base,
    theirs: tip.commit,
    message: run.redact(runMergeMessage(run.ledger.state, run.ledger.chainHead)),
    now: ctx.world.now(),
  });
  if (merged.kind !== 'merged') {
    const files = merged.kind === 'conflict' ? merged.files : [];
    return { hold: { what: 'landing', reason: `mh/${run.id} conflicts with ${branch}; merge it by hand`, files } };
  }
  const isApproved =
    isSubjectApproved(run.ledger.state, 'landing', merged.tree) ||
    (accept !== undefined && merged.tree.startsWith(accept));
  const proof = await checkCandidate(
    ctx,
    run,
    { commit: merged.commit, tree: merged.tree, tasks: [], onto: base, isApproved },
    commandGates(run, run.ledger.state.order).filter(({ own }) => own !== true),
  );
  // The findings on the branch of the run were approved with its tasks.
  const isReviewed = isApproved || merged.tree === (await treeOf(run.project.mirror, tip.commit));
  if (proof.verdict === 'pass' || (proof.verdict === 'held' && isReviewed))
    return { commit: merged.commit, tip: tip.commit };
  if (proof.verdict === 'held') return { hold: heldByFindings(run, { branch, ...proof, tree: merged.tree }) };
  return {
    hold: {
      what: 'landing',
      reason: `${proof.evidence.gate} fails on the merge with ${branch}: ${proof.evidence.summary}`,
      files: [],
    },
  };
}

/** The approval is bound to the tree of the merge: when the base moves again, its findings are new ones. */
function heldByFindings(
  run: ActiveRun,
  { branch, reason, tree }: { branch: string; reason: string; tree: string },
): Hold {
  return {
    what: 'landing',
    reason: `On the merge with ${branch}, which has moved: ${reason}`,
    files: [],
    subject: tree,
    nextStep: `manyhands land ${run.id} --accept ${tree.slice(0, TREE_DIGITS)}`,
  };
}

function held(reason: string, nextStep?: string): BaseLanding {
  return {
    kind: 'held',
    hold: { what: 'landing', reason, files: [], ...(nextStep === undefined ? {} : { nextStep }) },
  };
}

/** The files are named by the hold; the reason names the first of them for those who see only the reason. */
function heldByFiles(run: ActiveRun, branch: string, { files, command }: BlockingFiles): BaseLanding {
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  const names = files.length === 0 ? '' : `: ${files.slice(0, MOST_NAMED).join(', ')}${more}`;
  const land = `manyhands land ${run.id}`;
  const { reason, nextStep } =
    command === undefined
      ? { reason: `${branch} is checked out with conflicts; resolve and commit them first${names}`, nextStep: land }
      : { reason: `${branch} is checked out with uncommitted changes${names}`, nextStep: `${command} && ${land}` };
  return { kind: 'held', hold: { what: 'landing', reason, files, nextStep } };
}

/** Pushes the base to the remote where configured, only fast-forward; returns the reason if that is refused. */
async function pushBase(
  ctx: EngineContext,
  run: ActiveRun,
  landed: { branch: string; commit: string },
): Promise<string | undefined> {
  const { git } = run.ledger.state.start.config;
  if (!git.push) return undefined;
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const { mirror, repository } = run.project;
  const remote = await readRemote(repository, git.remote, signal);
  if (remote === undefined) return `There is no remote ${git.remote} to push ${landed.branch} to; set git.remote`;
  const pushed = await pushToRemote({ mirror, remote, ...landed, isOurs: false, signal });
  return pushed.kind === 'pushed'
    ? undefined
    : run.redact(refusalText(pushed, { remote, what: notPushed(landed.branch) }));
}
