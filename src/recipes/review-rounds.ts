import { isApproved } from '../core/run/holds.ts';
import { lastAttempt, type RunState, type TaskState } from '../core/run/state.ts';
import { promptText } from '../roles/prompt.ts';
import type { TaskKey } from '../schema/ids.ts';
import { ReviewOutput } from '../schema/output.ts';
import type { TaskSpec } from '../schema/task.ts';
import { type Finding, hasReturned } from './findings.ts';
import type { Unfolding } from './recipe.ts';
import { oneLine, taskSpec } from './task-spec.ts';

/** One review round: its serious findings, how heavy they were, and the commit that was reviewed. */
export type ReviewRound = { score: number; high: number; commit: string; findings: readonly Finding[] };

type Convergence =
  | { kind: 'clean' }
  | { kind: 'continue' }
  | { kind: 'stop'; why: 'plateau' | 'deterioration' | 'oscillation' | 'rounds'; best: ReviewRound };

const SEVERITY_SCORE = { low: 0, medium: 1, high: 3 } as const;

/**
 * How a result is reviewed: the maximum of rounds, the commit that the first compares with, and the description of a
 * pull request; `reviewsResult`: the run has a result also without the review; `avoidsAgentOf`: whose work it is.
 */
export type ReviewPlan = {
  most: number;
  since: string;
  title: string;
  pullRequest: string;
  reviewsResult?: true;
  avoidsAgentOf?: TaskKey;
};

/** Findings beyond this many in one round are left for the next. */
const FIXES_PER_ROUND = 20;
/** Findings that the reason of a hold names. */
const MOST_NAMED = 3;
const WHY = {
  plateau: 'the last one found as much as the one before',
  deterioration: 'the last one found more than the one before',
  oscillation: 'a finding that was fixed returned',
  rounds: 'no more are allowed',
} as const;
const NOTHING_NEW: Unfolding = { add: [] };

/** The next step once nothing is open: a first review, fixes for what it found, a review of these, until they converge. */
export function nextRound(run: RunState, plan: ReviewPlan): Unfolding {
  const reviews = reviewsOf(run);
  const last = reviews.at(-1);
  if (last !== undefined && last.phase.status !== 'done') return NOTHING_NEW;
  if (last === undefined || run.tasks[`fix/${reviews.length}.1`] !== undefined)
    return { add: [reviewTask(run, plan, reviews)] };
  return afterReview(run, reviews, plan.most);
}

/** The task of the first round of review: the same on every call. */
export function firstReview(run: RunState, plan: ReviewPlan): TaskSpec {
  return reviewTask(run, plan, []);
}

function reviewTask(run: RunState, plan: ReviewPlan, earlier: TaskState[]): TaskSpec {
  const { since, title, pullRequest, reviewsResult, avoidsAgentOf } = plan;
  const last = earlier.at(-1);
  const round = earlier.length + 1;
  const from = last === undefined ? since : (lastAttempt(last)?.base ?? since);
  const known = earlier.flatMap((task) => findingsOf(task).map((finding) => `- ${finding.title}`));
  return taskSpec(run.start.config, {
    key: `review/${round}`,
    title: round === 1 ? title : `Review the fixes (round ${round})`,
    role: 'review',
    access: 'read',
    prompt: promptText('recipes/review-changes', { since: from, pullRequest, earlierFindings: known.join('\n') }),
    ...(reviewsResult === undefined ? {} : { reviewsResult }),
    ...(avoidsAgentOf === undefined ? {} : { avoidsAgentOf }),
  });
}

function afterReview(run: RunState, reviews: TaskState[], most: number): Unfolding {
  const rounds = reviews.map(roundOf);
  const result = converge(rounds, most);
  const latest = reviews.at(-1);
  if (result.kind === 'clean' || latest === undefined) return NOTHING_NEW;
  if (result.kind === 'continue') return { add: fixes(run, latest, reviews.length) };
  if (result.best.high === 0 || isApproved(run, 'review', latest.spec.key)) return stopAt(run, result);
  const best = reviews[rounds.indexOf(result.best)] ?? latest;
  const reason = reasonToHold(findingsOf(best), reviews.length, result.why);
  return { ...stopAt(run, result), hold: { what: 'review', reason, files: [], subject: latest.spec.key } };
}

function reasonToHold(findings: ReviewOutput['findings'], rounds: number, why: keyof typeof WHY): string {
  const titles = findings.filter(({ severity }) => severity === 'high').map(({ title }) => oneLine(title));
  const more = titles.length > MOST_NAMED ? ` and ${titles.length - MOST_NAMED} more` : '';
  const left = titles.length === 1 ? '1 serious finding is' : `${titles.length} serious findings are`;
  const after = rounds === 1 ? 'one review' : `${rounds} reviews`;
  return `${left} left after ${after}, because ${WHY[why]}: ${titles.slice(0, MOST_NAMED).join('; ')}${more}`;
}

function stopAt(run: RunState, result: { why: string; best: ReviewRound }): Unfolding {
  return result.best.commit === run.tip.commit
    ? NOTHING_NEW
    : { add: [], keep: { commit: result.best.commit, reason: result.why } };
}

function fixes(run: RunState, latest: TaskState, round: number): TaskSpec[] {
  const serious = findingsOf(latest).filter((finding) => SEVERITY_SCORE[finding.severity] > 0);
  return serious.slice(0, FIXES_PER_ROUND).map((finding, index) => {
    return taskSpec(run.start.config, {
      key: `fix/${round}.${index + 1}`,
      title: `Fix: ${finding.title}`,
      role: 'fix',
      access: 'write',
      optional: true,
      prompt: promptText('recipes/fix-finding', { description: finding.description, location: locationOf(finding) }),
    });
  });
}

function locationOf({ file, line }: ReviewOutput['findings'][number]): string {
  if (file === undefined) return '';
  return line === undefined ? file : `${file}:${line}`;
}

function roundOf(task: TaskState): ReviewRound {
  const findings = findingsOf(task);
  return {
    findings: findings.filter(({ severity }) => SEVERITY_SCORE[severity] > 0),
    score: findings.reduce((sum, finding) => sum + SEVERITY_SCORE[finding.severity], 0),
    high: findings.filter((finding) => finding.severity === 'high').length,
    commit: lastAttempt(task)?.base ?? '',
  };
}

function findingsOf(task: TaskState): ReviewOutput['findings'] {
  const output = ReviewOutput.safeParse(lastAttempt(task)?.ended?.output);
  return output.success ? output.data.findings : [];
}

function reviewsOf(run: RunState): TaskState[] {
  const tasks: TaskState[] = [];
  for (let round = 1; ; round += 1) {
    const task = run.tasks[`review/${round}`];
    if (task === undefined) return tasks;
    tasks.push(task);
  }
}

/**
 * Whether another round of fixing is worth it: stops on a clean review, when a round found no less than the one before
 * (plateau) or more (deterioration), when a fixed finding returned (oscillation), and at the cap. The best tree is the
 * one with the lightest findings, not the last.
 */
export function converge(rounds: readonly ReviewRound[], most: number): Convergence {
  const last = rounds.at(-1);
  if (last === undefined) return { kind: 'continue' };
  if (last.score === 0) return { kind: 'clean' };
  const best = rounds.reduce((lightest, round) => (round.score < lightest.score ? round : lightest), last);
  const before = rounds.at(-2);
  if (before !== undefined && last.score > before.score) return { kind: 'stop', why: 'deterioration', best };
  if (before !== undefined && last.score === before.score) return { kind: 'stop', why: 'plateau', best };
  if (hasReturned(rounds.map(({ findings }) => findings))) return { kind: 'stop', why: 'oscillation', best };
  if (rounds.length >= most) return { kind: 'stop', why: 'rounds', best };
  return { kind: 'continue' };
}
