import { z } from 'zod';
import { SessionOf } from '../task.ts';

const Text = z.string().trim();
const Moment = z.number().int();

/** A weakness or chance that a watcher found, with the place that shows it. */
export const FoundProposal = z.object({
  title: Text.min(1).max(200),
  category: z.enum(['bug', 'security', 'performance', 'tests', 'documentation', 'maintenance']),
  description: Text.max(4_000).default(''),
  file: Text.min(1).max(500),
  line: z.number().int().min(1),
  evidence: Text.max(2_000).default(''),
  confidence: z.number().min(0).max(1),
});
export type FoundProposal = z.infer<typeof FoundProposal>;

/** A proposal of a series; `seen` counts the rounds that made it, also in other words. */
export const Proposal = FoundProposal.extend({
  id: z.string(),
  status: z.enum(['new', 'accepted', 'rejected', 'done', 'expired']),
  confirmation: z.string().describe('What the second agent saw that confirmed it.'),
  reason: z.string().nullable().describe('Why it was rejected.'),
  run: z.string().nullable().describe('The run that it became.'),
  seen: z.number().int(),
  round: z.number().int(),
  at: Moment,
  lastAt: Moment,
});
export type Proposal = z.infer<typeof Proposal>;

const Message = z.object({ by: z.enum(['person', 'agent']), text: z.string(), at: Moment });

/** A conversation of a person with the watcher. */
export const Discussion = z.object({
  id: z.string(),
  messages: z.array(Message),
  session: SessionOf.optional().describe('The session of the last answer, which the next one continues.'),
});
export type Discussion = z.infer<typeof Discussion>;

/** A review of a pull request that nobody but the user has seen. */
export const DraftReview = z.object({
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  head: z.string().describe('The commit that was reviewed.'),
  text: z.string(),
  status: z.enum(['draft', 'posted', 'discarded']),
  at: Moment,
});
export type DraftReview = z.infer<typeof DraftReview>;

/** Why a round began. */
export const WakeReason = z.enum(['start', 'interval', 'reply', 'commit', 'pull-request']);
export type WakeReason = z.infer<typeof WakeReason>;

/** The result of a round. */
export const RoundResult = z.object({
  proposals: z.array(FoundProposal.extend({ confirmation: z.string(), duplicateOf: z.string().optional() })),
  replies: z.array(z.object({ discussion: z.string(), text: z.string(), session: SessionOf.optional() })),
  reviews: z.array(DraftReview.omit({ status: true, at: true })),
});
export type RoundResult = z.infer<typeof RoundResult>;

/** The input of the run of one round; all of its lists are bounded, so that prompts do not grow with the series. */
export const WatchInput = z.object({
  round: z.number().int().positive(),
  why: WakeReason,
  since: z.string().nullable().describe('The commit of the last round.'),
  known: z.array(
    Proposal.pick({ id: true, title: true, category: true, file: true, line: true, status: true, reason: true }),
  ),
  discussions: z.array(Discussion),
  pulls: z.array(
    DraftReview.omit({ status: true, at: true, text: true }).extend({ from: z.string(), onto: z.string() }),
  ),
  seen: z.record(z.string(), z.string()).describe('The commits of the pull requests that this round has seen.'),
});
export type WatchInput = z.infer<typeof WatchInput>;

/** A day of a series. */
const DaySummary = z.object({ day: z.string(), text: z.string() });

/** The series of a project as entry points show it. */
export const WatchDocument = z.object({
  project: z.string(),
  active: z.boolean(),
  round: z.number().int().describe('The number of the last round.'),
  running: z.object({ round: z.number().int(), run: z.string(), why: WakeReason }).nullable(),
  next: z.string().nullable().describe('When the next round begins if nothing else wakes it.'),
  intervalMinutes: z.number(),
  problem: z
    .string()
    .nullable()
    .default(null)
    .describe('Why the last round could not begin; it is tried again at `next`.'),
  spentToday: z.number(),
  budgetPerDay: z.number().nullable(),
  proposals: z.array(Proposal),
  discussions: z.array(Discussion),
  reviews: z.array(DraftReview),
  today: DaySummary,
  summaries: z.array(DaySummary).describe('Of the days before, the latest first.'),
});
export type WatchDocument = z.infer<typeof WatchDocument>;
