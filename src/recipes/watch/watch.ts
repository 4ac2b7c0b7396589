import { z } from 'zod';
import { lastAttempt, openTasks, type RunState } from '../../core/run/state.ts';
import { knownAs } from '../../core/watch/watch-series.ts';
import { promptText } from '../../roles/prompt.ts';
import { ReviewOutput } from '../../schema/output.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { type Discussion, FoundProposal, type RoundResult, WatchInput } from '../../schema/watch/watch-round.ts';
import { isEvidence, issuesOf } from '../points.ts';
import type { Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { taskSpec } from '../task-spec.ts';

/** What the watching agent hands over, and what the second one says about one proposal. */
const LookOutput = z.object({ proposals: z.array(FoundProposal).max(10), summary: z.string().default('') });
const ConfirmOutput = z.object({
  verdict: z.enum(['confirmed', 'refuted', 'duplicate']),
  duplicateOf: z.string().optional(),
  evidence: z.string().trim().max(2_000).default(''),
  confidence: z.number().min(0).max(1).default(0.5),
});
const ReplyOutput = z.object({ text: z.string().trim().min(1).max(8_000) });

const NOTHING_NEW: Unfolding = { add: [] };
/** Proposals of one round that a second agent looks at; what is left is found again. */
const MOST_CONFIRMED = 5;
const MESSAGE_CHARS = 4_000;

/** One round of a watcher: it looks at what changed, a second agent confirms what it proposes, messages are answered and pull requests reviewed. */
export const watch: Recipe<WatchInput> = {
  name: 'watch',
  version: 1,
  input: WatchInput,
  title: ({ round, why }) => `Watch round ${round} (${why})`,
  isReadOnly: () => true,
  accept: ({ spec }, output) => {
    if (spec.role === 'watch') return refuseLook(output);
    return spec.role === 'confirm' ? refuseConfirmation(output) : undefined;
  },
  unfold: (run, input) => {
    if (run.order.length === 0) return { add: firstTasks(run, input) };
    return openTasks(run) > 0 ? NOTHING_NEW : { add: confirmTasks(run, input) };
  },
  progress: (run, input) => {
    const found = newProposals(run, input);
    if (found.length === 0) return undefined;
    const points = found.map(({ title, file, line }, index) => {
      const output = outputOf(run, `confirm/${index + 1}`, ConfirmOutput);
      const status = output === undefined ? 'open' : output.verdict === 'confirmed' ? 'done' : 'rejected';
      const evidence = output?.evidence ?? `${file}:${line}`;
      return { id: `P${index + 1}`, title, status, by: output?.verdict ?? null, round: input.round, evidence } as const;
    });
    return { unit: 'round', plan: 1, points, rounds: [], warnings: [], stop: null };
  },
  result: (run, input) => roundResult(run, input),
  outline,
};

/** The result of a round: confirmed proposals, answers, drafts; what failed is left out, and the next round sees it again. */
export function roundResult(run: RunState, input: WatchInput): RoundResult {
  return {
    proposals: newProposals(run, input).flatMap((proposal, index) => {
      const confirmed = outputOf(run, `confirm/${index + 1}`, ConfirmOutput);
      if (confirmed === undefined || confirmed.verdict === 'refuted') return [];
      const { duplicateOf, evidence, confidence, verdict } = confirmed;
      const isKnown = verdict === 'duplicate' && input.known.some(({ id }) => id === duplicateOf);
      return [
        {
          ...proposal,
          confidence: Math.min(proposal.confidence, confidence),
          confirmation: evidence,
          ...(isKnown && duplicateOf !== undefined ? { duplicateOf } : {}),
        },
      ];
    }),
    replies: input.discussions.flatMap(({ id }) => {
      const answer = outputOf(run, `reply/${id}`, ReplyOutput);
      const session = sessionOf(run, `reply/${id}`);
      return answer === undefined
        ? []
        : [{ discussion: id, text: answer.text, ...(session === undefined ? {} : { session }) }];
    }),
    reviews: input.pulls.flatMap(({ number, title, url, head }) => {
      const review = outputOf(run, `pull/${number}`, ReviewOutput);
      return review === undefined ? [] : [{ number, title, url, head, text: reviewText(review) }];
    }),
  };
}

/** The session in which the task was done, for the next round. */
function sessionOf(run: RunState, key: string): Discussion['session'] {
  const task = run.tasks[key];
  const { agent, account, session: id } = (task && lastAttempt(task)) ?? {};
  return agent === undefined || id == null ? undefined : { agent, account: account ?? null, id };
}

function outputOf<T>(run: RunState, key: string, schema: z.ZodType<T>): T | undefined {
  const task = run.tasks[key];
  return task?.phase.status === 'done' ? schema.safeParse(lastAttempt(task)?.ended?.output).data : undefined;
}

/** The proposals that are neither known nor the same as one before them, the most certain first. */
function newProposals(run: RunState, { known }: WatchInput): FoundProposal[] {
  const found = outputOf(run, 'look', LookOutput)?.proposals ?? [];
  const distinct: FoundProposal[] = [];
  for (const proposal of [...found].sort((a, b) => b.confidence - a.confidence)) {
    const isKnown = knownAs(known, proposal) !== undefined;
    const isTwice =
      knownAs(
        distinct.map((each) => ({ ...each, id: '' })),
        proposal,
      ) !== undefined;
    if (!isKnown && !isTwice) distinct.push(proposal);
  }
  return distinct.slice(0, MOST_CONFIRMED);
}

function firstTasks(run: RunState, input: WatchInput): TaskSpec[] {
  const { config } = run.start;
  const look = taskSpec(config, {
    key: 'look',
    title: `Look at what changed (round ${input.round})`,
    role: 'watch',
    access: 'read',
    optional: true,
    prompt: promptText('recipes/watch/look', {
      since: input.since ?? '',
      known: knownLines(input),
    }),
  });
  const replies = input.discussions.map(({ id, messages, session }) => ({
    ...taskSpec(config, {
      key: `reply/${id}`,
      title: `Answer ${id}`,
      role: 'discuss',
      access: 'read',
      optional: true,
      priority: 5,
      prompt: promptText('recipes/watch/reply', {
        messages: messages.map(({ by, text }) => `${by}: ${text.slice(0, MESSAGE_CHARS)}`).join('\n\n'),
        known: knownLines(input),
      }),
    }),
    ...(session === undefined ? {} : { session }),
  }));
  const reviews = input.pulls.map(({ number, title, from, onto }) => ({
    ...taskSpec(config, {
      key: `pull/${number}`,
      title: `Draft a review of #${number}: ${title}`,
      role: 'review',
      access: 'read',
      optional: true,
      prompt: promptText('recipes/review-changes', {
        since: onto,
        pullRequest: `Pull request #${number}: ${title}`,
        earlierFindings: '',
      }),
    }),
    from: { commit: from, base: onto },
  }));
  // A message is answered at once; the code is looked at in the rounds for that.
  return [...(input.why === 'reply' ? [] : [look]), ...replies, ...reviews];
}

function confirmTasks(run: RunState, input: WatchInput): TaskSpec[] {
  return newProposals(run, input).flatMap((proposal, index) => {
    const key = `confirm/${index + 1}`;
    if (run.tasks[key] !== undefined) return [];
    const { title, category, description, file, line, evidence } = proposal;
    return [
      taskSpec(run.start.config, {
        key,
        title: `Confirm: ${title}`,
        role: 'confirm',
        access: 'read',
        optional: true,
        avoidsAgentOf: 'look',
        prompt: promptText('recipes/watch/confirm', {
          ...{ title, category, description, evidence },
          place: `${file}:${line}`,
          known: knownLines(input),
        }),
      }),
    ];
  });
}

function knownLines({ known }: WatchInput): string {
  return known
    .map(({ id, title, file, line, status, reason }) => {
      const why = reason === null ? '' : ` because: ${reason}`;
      return `- ${id} (${status}${why}): ${title} (${file}:${line})`;
    })
    .join('\n');
}

function reviewText({ summary, findings }: ReviewOutput): string {
  const listed = findings.map(({ severity, title, file, line, description }) => {
    const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
    return `- **${severity}** ${title}${place}: ${description}`;
  });
  return [summary, ...(listed.length === 0 ? [] : ['', ...listed])].join('\n');
}

function refuseLook(output: unknown): string | undefined {
  const parsed = LookOutput.safeParse(output);
  return parsed.success ? undefined : issuesOf(parsed.error);
}

/** A confirmation without evidence is none. */
function refuseConfirmation(output: unknown): string | undefined {
  const parsed = ConfirmOutput.safeParse(output);
  if (!parsed.success) return issuesOf(parsed.error);
  const { verdict, evidence, duplicateOf } = parsed.data;
  if (verdict === 'duplicate' && duplicateOf === undefined) return 'it is a duplicate of what? Name it in duplicateOf';
  if (verdict === 'confirmed' && !isEvidence(evidence))
    return 'it confirms without evidence; name the file and line, or the command and its output, that shows it';
  return undefined;
}

function outline(_config: unknown, { discussions, pulls }: WatchInput): RecipeOutline {
  return {
    phases: [
      { title: 'Look at what changed', role: 'watch', most: 1 },
      { title: 'Answer messages', role: 'discuss', most: discussions.length },
      { title: 'Draft reviews', role: 'review', most: pulls.length },
      { title: 'Confirm proposals', role: 'confirm', most: MOST_CONFIRMED },
    ],
    stops: ['the round is over', 'the budget of the day is used'],
  };
}
