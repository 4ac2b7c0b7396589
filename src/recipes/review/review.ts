import { requiredFailures } from '../../core/finish/verdict.ts';
import { openTasks, type RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Config } from '../../schema/config.ts';
import { ReviewInput } from '../../schema/pull-request.ts';
import { describeEvidence, redOnBase } from '../base-red.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { firstReview, nextRound, type ReviewPlan } from '../review-rounds.ts';
import { oneLine, taskSpec } from '../task-spec.ts';

const NOTHING_NEW: Unfolding = { add: [] };
const BODY_CHARS = 8_000;

/**
 * A pull request, merged with its base, is reviewed; red checks and serious findings are fixed on the run branch. What
 * becomes of it at the forge is decided when the run ends.
 */
export const review: Recipe<ReviewInput> = {
  name: 'review',
  version: 1,
  input: ReviewInput,
  pullRequest: 'settle',
  settings,
  title: ({ pull }) => oneLine(`Review #${pull.number}: ${pull.title}`),
  unfold: (run, input, ended) => {
    if (ended === undefined) return begin(run, input);
    const isOver = openTasks(run) > 0 || requiredFailures(run).length > 0 || input.conflicts;
    return isOver ? NOTHING_NEW : nextRound(run, planOf(run, input));
  },
};

function settings(config: Config): Config {
  const { tools, testBeforeMerge } = config.review;
  const given = Object.entries(tools ?? {}).filter(([, value]) => value !== undefined);
  return {
    ...config,
    tools: { ...config.tools, ...Object.fromEntries(given) },
    checks: testBeforeMerge ? config.checks : [],
  };
}

function begin(run: RunState, input: ReviewInput): Unfolding {
  const first = firstReview(run, planOf(run, input));
  const red = input.conflicts ? [] : redOnBase(run);
  if (red.length === 0) return { add: [first] };
  const repair = taskSpec(run.start.config, {
    key: 'repair/1',
    title: 'Make the checks of the pull request green',
    role: 'repair',
    access: 'write',
    prompt: describeEvidence(red),
  });
  return { add: [first, repair] };
}

function planOf({ start }: RunState, { pull, body, onto }: ReviewInput): ReviewPlan {
  return {
    most: Math.max(1, start.config.review.rounds),
    since: onto,
    title: `Review #${pull.number}: ${pull.title}`,
    pullRequest: promptText('recipes/review/pull-request', {
      number: String(pull.number),
      author: pull.author,
      title: pull.title,
      body: body.trim() === '' ? '' : quoted(body),
    }),
  };
}

function quoted(text: string): string {
  return text
    .slice(0, BODY_CHARS)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
