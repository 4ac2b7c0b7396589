import type { RunVerdict } from '../../core/finish/verdict.ts';
import { recordPullRequests } from '../../core/land/decide-run-landing.ts';
import { isApproved } from '../../core/run/holds.ts';
import { lastAttempt, type RunState } from '../../core/run/state.ts';
import type { Answer, Forge } from '../../forges/forge.ts';
import { pushToRemote } from '../../git/push/push-remote.ts';
import type { Remote } from '../../git/push/remote.ts';
import type { Hold } from '../../schema/event.ts';
import { ReviewOutput } from '../../schema/output.ts';
import { type PullRequest, ReviewInput } from '../../schema/pull-request.ts';
import { crashpoint, type World } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { withRetries } from './forge-retries.ts';
import { failureText, notPushed, refusalText } from './land-as-pull-request.ts';
import { plainText } from './pull-request-body.ts';

const MAX_FINDINGS = 50;

const DESCRIPTION_CHARS = 1_000;

export type ReviewEnd = { kind: 'held'; hold: Hold } | { kind: 'settled'; note?: string };

type Settling = {
  run: ActiveRun;
  input: ReviewInput;
  forge: Forge;
  remote: Remote;
  world: World;
  signal: AbortSignal;
  /** Its number and forge: `#12 at github`. */
  name: string;
};

/** A reason to stop that a person must resolve first. */
type Stop = { stop: string };

/**
 * Completes a reviewed pull request at its forge: pushes fixes, approves, merges, as far as the settings and a person
 * allow it. Never with a failed check, never when it got other commits since; each result is read back.
 */
export async function settleReview(ctx: EngineContext, run: ActiveRun, verdict: RunVerdict): Promise<ReviewEnd> {
  const { start } = run.ledger.state;
  const input = ReviewInput.parse(start.input);
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const found = await ctx.implementations.forge(run.project.repository, start.config.git, signal);
  if (found.kind === 'none') return held(run, `${found.reason}; ${found.nextStep}`);
  const { forge, remote } = found;
  const name = `${forge.terms.mark}${input.pull.number} at ${forge.name}`;
  const settling: Settling = { run, input, forge, remote, world: ctx.world, signal, name };
  if (verdict.status === 'failed') return withhold(settling, verdict);
  const now = await view(settling);
  if ('stop' in now) return held(run, now.stop);
  if (now.state !== 'open') return { kind: 'settled', note: `${name} is ${now.state} already: ${now.url}` };
  const stop = obstacle(settling, now);
  if (stop !== undefined) return held(run, stop);
  const question = missingConsent(settling);
  if (question !== undefined) return held(run, question, 'landing');
  const done = await act(settling, now);
  if ('stop' in done) return held(run, done.stop);
  if (done.state === 'merged') await record(ctx, run, done);
  return { kind: 'settled', note: `${name} is ${done.state === 'merged' ? 'merged' : 'approved'}: ${done.url}` };
}

/** What prevents it, as far as it is known before any request to the forge. */
function obstacle({ run, input, name }: Settling, now: PullRequest): string | undefined {
  const { state } = run.ledger;
  if (!isAt(now, input.pull.head.commit) && !isAt(now, state.tip.commit))
    return `${name} got new commits since the review; review it again: manyhands review --pr ${input.pull.number}`;
  if (input.conflicts) return `${name} conflicts with ${now.base}; merge ${now.base} into it, then review it again`;
  const missing = run.checks.filter((gate) => !hasPassed(run, gate.name)).map((gate) => gate.name);
  return missing.length === 0 ? undefined : `${name} is not approved: ${missing.join(', ')} did not pass on it`;
}

function hasPassed({ ledger: { state } }: ActiveRun, gate: string): boolean {
  const all = [...(state.baseEvidence ?? []), ...Object.values(state.proven)];
  return all.some((found) => found.gate === gate && found.tree === state.tip.tree && found.verdict === 'pass');
}

/** Actions at the forge need a person's consent, given at the start or now. */
function missingConsent({ run, input, name }: Settling): string | undefined {
  const { state } = run.ledger;
  if (isApproved(state, 'landing', state.tip.commit)) return undefined;
  const hasFixes = state.tip.commit !== state.start.base.commit;
  const mayPush = input.push && !input.pull.fork;
  const what = input.automerge ? 'merges' : 'approves';
  if (hasFixes && !mayPush)
    return `Fixes for ${name} are on mh/${run.id}; approving the run pushes them to ${input.pull.head.branch} and ${what} it`;
  const { testBeforeMerge, requireAllTestsPass } = state.start.config.review;
  if (run.checks.length === 0 && testBeforeMerge && requireAllTestsPass)
    return `No check ran on ${name}; approving the run ${what} it nevertheless`;
  return input.yes ? undefined : `${name} passed its review; approving the run ${what} it there`;
}

async function act(settling: Settling, now: PullRequest): Promise<PullRequest | Stop> {
  const pushed = await pushFixes(settling, now);
  if ('stop' in pushed) return pushed;
  const { run, input, forge, name } = settling;
  const { requireAllTestsPass } = run.ledger.state.start.config.review;
  const checks = await request(settling, () => forge.checks(pushed, settling.signal));
  if ('stop' in checks) return checks;
  if (checks.value.state === 'fail') return { stop: `Checks of ${name} failed: ${checks.value.red.join(', ')}` };
  if (checks.value.state === 'pending' && requireAllTestsPass)
    return { stop: `Checks of ${name} are still running; approve the run again when they are done` };
  const commented = await comment(settling);
  if (commented !== undefined) return commented;
  const approved = await approve(settling, pushed);
  if (approved !== undefined && !input.automerge) return approved;
  return input.automerge ? merge(settling, pushed) : pushed;
}

/** Only fast-forward, onto the reviewed commit; a fork's branch belongs to its owner. */
async function pushFixes(settling: Settling, now: PullRequest): Promise<PullRequest | Stop> {
  const { run, input, remote, signal, name } = settling;
  const { tip, start } = run.ledger.state;
  if (tip.commit === start.base.commit || isAt(now, tip.commit)) return now;
  const { branch } = input.pull.head;
  if (now.fork) return { stop: `${name} comes from a fork, to which nothing is pushed; its fixes are on mh/${run.id}` };
  const { mirror } = run.project;
  const pushed = await pushToRemote({ mirror, remote, branch, commit: tip.commit, isOurs: false, signal });
  if (pushed.kind === 'refused') return { stop: refusalText(pushed, { remote, what: notPushed(branch) }) };
  const after = await view(settling);
  if ('stop' in after || isAt(after, tip.commit)) return after;
  return { stop: `The fixes are pushed, but ${name} does not show them yet; approve the run again` };
}

async function comment(settling: Settling): Promise<Stop | undefined> {
  const { run, input, forge, signal } = settling;
  const review = reviewComment(run.ledger.state);
  const body = run.redact(review.body);
  crashpoint('review.commenting');
  const done = await request(settling, () => forge.comment(input.pull.number, { key: review.key, body }, signal));
  crashpoint('review.commented');
  return 'stop' in done ? done : undefined;
}

async function approve(settling: Settling, pull: PullRequest): Promise<Stop | undefined> {
  const { forge, signal } = settling;
  const before = await request(settling, () => forge.isApproved(pull, signal));
  if ('stop' in before) return before;
  if (before.value) return undefined;
  crashpoint('review.approving');
  const done = await forge.approve(pull, signal);
  crashpoint('review.approved');
  if (done.ok) return undefined;
  const after = await request(settling, () => forge.isApproved(pull, signal));
  if (!('stop' in after) && after.value) return undefined;
  return { stop: failureText(done.failure, forge) };
}

async function merge(settling: Settling, pull: PullRequest): Promise<PullRequest | Stop> {
  const { forge, signal, name } = settling;
  crashpoint('review.merging');
  const done = await forge.merge(pull, signal);
  crashpoint('review.merged');
  const after = await view(settling);
  if ('stop' in after || after.state === 'merged') return after;
  return {
    stop: done.ok ? `${name} was requested to be merged, but is not merged yet` : failureText(done.failure, forge),
  };
}

/** Comments on a failed review, where actions at the forge are allowed; the failure stays. */
async function withhold(settling: Settling, { reason }: RunVerdict): Promise<ReviewEnd> {
  const commentError = settling.input.yes ? await comment(settling) : undefined;
  return { kind: 'settled', note: `${reason}${commentError === undefined ? '' : `; ${commentError.stop}`}` };
}

async function record(ctx: EngineContext, run: ActiveRun, pull: PullRequest): Promise<void> {
  const { commit } = run.ledger.state.tip;
  const pullRequests = [{ commit, url: pull.url }];
  await ctx.submit(run, (state) => recordPullRequests(state, { branch: pull.base, pullRequests })).committed;
}

async function view(settling: Settling): Promise<PullRequest | Stop> {
  const answer = await request(settling, () => settling.forge.view(settling.input.pull.number, settling.signal));
  return 'stop' in answer ? answer : answer.value;
}

async function request<T>(
  { forge, world, signal }: Settling,
  question: () => Promise<Answer<T>>,
): Promise<{ value: T } | Stop> {
  const answer = await withRetries(world, question, signal);
  return answer.ok ? { value: answer.value } : { stop: failureText(answer.failure, forge) };
}

/** Some forges give only the beginning of a commit's id. */
function isAt({ head }: PullRequest, commit: string): boolean {
  return head.commit.length >= 7 && commit.startsWith(head.commit);
}

/** `landing` asks for consent; `trouble` must be fixed first, and approving it does not give consent. */
function held(run: ActiveRun, reason: string, what: 'trouble' | 'landing' = 'trouble'): ReviewEnd {
  return { kind: 'held', hold: { what, reason: run.redact(reason), files: [] } };
}

/** The comment on a reviewed pull request, and the key by which it is found again. */
function reviewComment(state: RunState): { key: string; body: string } {
  const key = `Manyhands, run ${state.start.run}`;
  const findings = findingsOf(state);
  const listed = findings.slice(0, MAX_FINDINGS).map(({ severity, file, line, title, description }) => {
    const location = file === undefined ? '' : ` (${plainText(`${file}${line === undefined ? '' : `:${line}`}`)})`;
    return `- **${severity}** ${plainText(title)}${location}: ${plainText(description.slice(0, DESCRIPTION_CHARS))}`;
  });
  const body = [
    '## Review',
    findings.length === 0 ? 'No findings.' : listed.join('\n'),
    '## Checks',
    checksOf(state),
    `Reviewed by ${key}.`,
  ];
  return { key, body: body.join('\n\n') };
}

/** The findings of the last review. */
function findingsOf(state: RunState): ReviewOutput['findings'] {
  const reviews = state.order.filter((key) => state.tasks[key]?.spec.role === 'review');
  const last = state.tasks[reviews.at(-1) ?? ''];
  const output = ReviewOutput.safeParse(last === undefined ? undefined : lastAttempt(last)?.ended?.output);
  return output.success ? output.data.findings : [];
}

function checksOf(state: RunState): string {
  const all = [...(state.baseEvidence ?? []), ...Object.values(state.proven)];
  const found = new Map(all.filter(({ tree }) => tree === state.tip.tree).map((evidence) => [evidence.gate, evidence]));
  if (found.size === 0) return 'No check ran on it.';
  return [...found.values()].map(({ gate, verdict }) => `- ${plainText(gate)}: ${verdict}`).join('\n');
}
