import { prFacts, prText } from '../../core/finish/pull-request-text.ts';
import { type RunVerdict, verdictOf } from '../../core/finish/verdict.ts';
import { recordPullRequests } from '../../core/land/decide-run-landing.ts';
import type { TaskState } from '../../core/run/state.ts';
import type { Answer, Forge, ForgeFailure, NewPullRequest } from '../../forges/forge.ts';
import { pushToRemote } from '../../git/push/push-remote.ts';
import type { Remote, RemoteRefusal } from '../../git/push/remote.ts';
import type { Origin } from '../../schema/actor.ts';
import { PrText } from '../../schema/call.ts';
import type { Hold } from '../../schema/event.ts';
import type { PullRequest } from '../../schema/pull-request.ts';
import { crashpoint, type World } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { type AnsweredCall, smallCall } from '../small-calls/small-call.ts';
import { RetryBackoff, withRetries } from './forge-retries.ts';
import { pullRequestBody } from './pull-request-body.ts';
import { failedWork, landedWork, pullRequestPer, pushedBranch } from './pull-request-branch.ts';

type OpenPullRequest = { forge: Forge; pullRequest: NewPullRequest; world: World };

/** Invisible in Markdown: the text between them is ours to update, the rest belongs to people. */
const BEGIN = '[//]: # (manyhands: begin)';

const END = '[//]: # (manyhands: end)';

export type PrLanding = { kind: 'landed' } | { kind: 'held'; hold: Hold };

/** The target of pull requests: the forge, its remote, and the branch they are opened against. */
type Destination = { forge: Forge; remote: Remote; base: string; signal: AbortSignal };
/** The work of one pull request. */
type PullRequestWork = { branch: string; commit: string; task?: TaskState };
type Obstacle = { reason: string };

/**
 * Pushes the run's work and opens its pull requests: one for the run, or one for each task. Every step is idempotent, so
 * that it can be repeated after any failure; what only a person can fix becomes a hold.
 */
export async function landAsPullRequest(
  ctx: EngineContext,
  run: ActiveRun,
  options: { draft?: boolean; origin?: Origin } = {},
): Promise<PrLanding> {
  const to = await destinationOf(ctx, run);
  if ('reason' in to) return held(run, to);
  const verdict = verdictOf(run.ledger.state);
  const failed = await pushFailed(run, to);
  if ('reason' in failed) return held(run, failed);
  const opened: { work: PullRequestWork; pull: PullRequest }[] = [];
  for (const work of pullRequestWorks(run)) {
    const pull = await openFor(ctx, run, { work, to, failed, draft: options.draft ?? isDraft(run, verdict) });
    if ('reason' in pull) return held(run, pull);
    opened.push({ work, pull });
  }
  if (opened.length === 0) return { kind: 'landed' };
  crashpoint('pr.recording');
  const pullRequests = opened.map(({ work, pull }) => ({ commit: work.commit, url: pull.url }));
  const { origin } = options;
  await ctx.submit(run, (state) => recordPullRequests(state, { branch: to.base, pullRequests }), { origin }).committed;
  crashpoint('pr.recorded');
  return { kind: 'landed' };
}

async function destinationOf(ctx: EngineContext, run: ActiveRun): Promise<Destination | Obstacle> {
  const { start } = run.ledger.state;
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const found = await ctx.implementations.forge(run.project.repository, start.config.git, signal);
  if (found.kind === 'none') return { reason: `${found.reason}; ${found.nextStep}` };
  const base = start.config.git.destination ?? start.base.branch;
  if (base === null) return { reason: 'The run started from a commit, not from a branch; set git.destination' };
  return { forge: found.forge, remote: found.remote, base, signal };
}

/** The work of each pull request: the run branch, or the commits of each task. */
function pullRequestWorks(run: ActiveRun): PullRequestWork[] {
  const { state } = run.ledger;
  if (state.tip.commit === state.start.base.commit) return [];
  if (pullRequestPer(state) === 'run') return [{ branch: pushedBranch(state), commit: state.tip.commit }];
  return landedWork(state).map(({ task, commit }) => ({ branch: pushedBranch(state, task), commit, task }));
}

function isDraft(run: ActiveRun, { status }: RunVerdict): boolean {
  const { draft } = run.ledger.state.start.config.pr;
  if (draft !== 'auto') return draft === 'always';
  return pullRequestPer(run.ledger.state) === 'run' ? status !== 'done' : status === 'unverified';
}

async function pushFailed(run: ActiveRun, to: Destination): Promise<{ key: string; branch: string }[] | Obstacle> {
  const { state } = run.ledger;
  if (!state.start.config.pr.pushFailed) return [];
  const pushed: { key: string; branch: string }[] = [];
  for (const { task, commit } of failedWork(state)) {
    const branch = pushedBranch(state, task);
    const obstacle = await push(run, to, { branch, commit });
    if (obstacle !== undefined) return obstacle;
    pushed.push({ key: task.spec.key, branch });
  }
  return pushed;
}

type Opening = { work: PullRequestWork; to: Destination; failed: { key: string; branch: string }[]; draft: boolean };

async function openFor(ctx: EngineContext, run: ActiveRun, opening: Opening): Promise<PullRequest | Obstacle> {
  const { work, to, failed, draft } = opening;
  const obstacle = await push(run, to, work);
  if (obstacle !== undefined) return obstacle;
  const { state } = run.ledger;
  const text = work.task === undefined ? await pullRequestText(ctx, run) : undefined;
  const body = pullRequestBody({
    state,
    branch: work.branch,
    remote: to.remote.name,
    failed,
    now: ctx.world.now(),
    ...(work.task === undefined ? {} : { task: work.task }),
    ...(text === undefined || text.by === 'rules' ? {} : { prose: text.answer.body }),
  });
  const title = run.redact(text?.answer.title ?? work.task?.spec.title ?? state.start.title);
  const pullRequest = { head: work.branch, base: to.base, title, body: run.redact(body), draft };
  const opened = await openPullRequest({ forge: to.forge, pullRequest, world: ctx.world }, to.signal);
  return opened.ok ? opened.value : { reason: failureText(opened.failure, to.forge) };
}

async function push(
  run: ActiveRun,
  { remote, signal }: Destination,
  work: PullRequestWork,
): Promise<Obstacle | undefined> {
  const { branch, commit } = work;
  const pushed = await pushToRemote({ mirror: run.project.mirror, remote, branch, commit, isOurs: true, signal });
  return pushed.kind === 'pushed' ? undefined : { reason: refusalText(pushed, { remote, what: notPushed(branch) }) };
}

/** What a person must do about a remote that refused; `what` is the refused action. */
export function refusalText(refusal: RemoteRefusal, at: { remote: Remote; what: string }): string {
  const { name, address } = at.remote;
  const what = `${at.what} ${name} (${address})`;
  switch (refusal.reason) {
    case 'auth':
      return `${what}: the login was refused; log in so that git reaches ${name} by itself. ${refusal.detail}`;
    case 'moved':
      return `${what}: another user or process moved it. ${refusal.detail}`;
    case 'unreachable':
    case 'rejected':
      return `${what}: ${refusal.detail}`;
  }
}

/** The beginning of the sentence about a push that was refused. */
export function notPushed(branch: string): string {
  return `${branch} could not be pushed to`;
}

/** What a person must do about a refusal of the forge. */
export function failureText({ message, nextStep }: ForgeFailure, forge: Forge): string {
  return `${message} (${forge.repo}); next: ${nextStep}`;
}

function held(run: ActiveRun, { reason }: Obstacle): PrLanding {
  const files: string[] = [];
  return { kind: 'held', hold: { what: 'landing', reason: run.redact(`No pull request yet: ${reason}`), files } };
}

/** The title and text of a run's pull request; requested once for each tip of the run branch. */
function pullRequestText(ctx: EngineContext, run: ActiveRun): Promise<AnsweredCall<PrText>> {
  const { state } = run.ledger;
  const facts = prFacts(state);
  const text = prText(facts);
  return smallCall(ctx, run, {
    kind: 'pr-text',
    name: state.tip.commit,
    input: `${text.title}\n\n${text.body}`,
    schema: PrText,
    rules: () => text,
  });
}

/**
 * The one open pull request of a branch: found, or created. After every failure it is looked up again, so that a lost
 * answer, a crash or a retry never creates a second one.
 */
export async function openPullRequest(
  { forge, pullRequest, world }: OpenPullRequest,
  signal: AbortSignal,
): Promise<Answer<PullRequest>> {
  const find = () => withRetries(world, () => forge.find(pullRequest.head, signal), signal);
  const existing = await find();
  if (!existing.ok) return existing;
  if (existing.value !== undefined) return update({ forge, pullRequest, world }, existing.value, signal);
  const backoff = new RetryBackoff(world);
  for (;;) {
    crashpoint('pr.creating');
    const made = await forge.create({ ...pullRequest, body: marked(pullRequest.body) }, signal);
    crashpoint('pr.created');
    if (made.ok) return made;
    const after = await find();
    if (after.ok && after.value !== undefined) return { ok: true, value: after.value };
    if (!after.ok && made.failure.kind !== 'auth') return after;
    if (!(await backoff.wait(made.failure, signal))) return made;
  }
}

/** Updates our part of the text, and marks a draft as ready when it should be; the text of people is kept. */
async function update(
  { forge, pullRequest, world }: OpenPullRequest,
  existing: PullRequest,
  signal: AbortSignal,
): Promise<Answer<PullRequest>> {
  const now = await withRetries(world, () => forge.view(existing.number, signal), signal);
  if (!now.ok) return now;
  const body = replaceMarked(now.value.body, pullRequest.body) ?? now.value.body;
  if (body === now.value.body && (pullRequest.draft || !now.value.draft)) return { ok: true, value: existing };
  crashpoint('pr.updating');
  const { draft } = pullRequest;
  const updated = await withRetries(world, () => forge.update(existing.number, { body, draft }, signal), signal);
  crashpoint('pr.updated');
  return updated.ok ? { ok: true, value: existing } : updated;
}

function marked(body: string): string {
  return `${BEGIN}\n\n${body.replaceAll(BEGIN, '').replaceAll(END, '')}\n\n${END}\n`;
}

/** The text with our part replaced; undefined where a person removed our part. */
function replaceMarked(before: string, body: string): string | undefined {
  const from = before.indexOf(BEGIN);
  const to = before.indexOf(END, from);
  if (from < 0 || to < 0) return undefined;
  return `${before.slice(0, from)}${marked(body).trimEnd()}${before.slice(to + END.length)}`;
}
