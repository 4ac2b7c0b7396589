import { z } from 'zod';
import { Diagnosis } from './call.ts';
import { Filing } from './collection.ts';
import { AttemptContainment, AttemptNetworkUse, CommandNetworkUse } from './containment.ts';
import { HoldOption } from './coordination/hold-option.ts';
import { SubRunDocument, SubRunParent } from './coordination/sub-run.ts';
import { Evidence } from './gate.ts';
import { NodeDocument, ProgressDocument } from './progress.ts';
import { RiskFlag } from './risk.ts';
import { UnknownUsage } from './usage.ts';

const OfCost = UnknownUsage.optional().describe('How much of the cost is not known; absent where all of it is.');

/** The status of a run; `needs-rerun`: done work of it was invalidated, and none of it is being done again yet. */
export const RunStatus = z.enum([
  'running',
  'needs-rerun',
  'held',
  'blocked',
  'paused',
  'cancelling',
  'done',
  'unverified',
  'partial',
  'failed',
  'cancelled',
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** Why a task failed and what to do next; `by` is the model that was called, or `rules`. */
const DiagnosisDocument = Diagnosis.extend({ by: z.string() });
export type DiagnosisDocument = z.infer<typeof DiagnosisDocument>;

export const TaskDocument = z.object({
  key: z.string(),
  title: z.string(),
  name: z.string().nullable().describe('Its name in the work file.'),
  role: z.string(),
  status: z.string().describe('needs-rerun: it was done, and was invalidated.'),
  reason: z.string().nullable(),
  because: z.string().optional().describe('Why it was added, such as the gate that requires another round.'),
  needs: z.array(z.string()),
  track: z.string().nullable(),
  attempts: z.number().int(),
  agent: z.string().nullable(),
  host: z.string().optional().describe('The host of its last attempt, if it was not the machine of the engine.'),
  containment: z.array(AttemptContainment).optional().describe('How each attempt that was started is contained.'),
  network: z.array(AttemptNetworkUse).optional().describe('What each ended attempt requested of the network.'),
  terminal: z.boolean().describe('Whether its current or last attempt has a terminal: see manyhands attach.'),
  commit: z.string().nullable(),
  cost: z.number(),
  unknownUsage: OfCost,
  evidence: z.array(Evidence),
  earlierEvidence: z
    .array(Evidence)
    .optional()
    .describe(
      'The checks that the previous attempt failed, or that found something in its work, until those of this attempt have finished.',
    ),
  flags: z.array(RiskFlag),
  warnings: z.array(z.string()),
  messages: z
    .array(z.object({ id: z.string(), at: z.string(), text: z.string() }))
    .optional()
    .describe('Messages of people to its agents, if any.'),
  resumeCommand: z
    .string()
    .optional()
    .describe("For a failed or blocked task: the vendor's own command that continues its last session by hand."),
  diagnosis: DiagnosisDocument.nullable().describe('For a failed task: why it failed and what to do next.'),
  output: z
    .unknown()
    .optional()
    .describe(
      'Its structured result, unless it was invalidated; in the output of `show` and of commands that follow a run.',
    ),
});
export type TaskDocument = z.infer<typeof TaskDocument>;

/** The id of a task for display; absent in documents of earlier versions, and where there is no task. */
export const TaskLabel = z
  .string()
  .optional()
  .describe('The id of the task for display: its id in the work file, else its key.');

/** Something that waits for a person, and the command that resolves it. */
export const AttentionDocument = z.object({
  task: z.string().nullable(),
  label: TaskLabel,
  what: z.enum(['plan', 'held', 'blocked', 'paused', 'question']),
  question: z.string().optional().describe('The id of the question that an agent asks.'),
  hold: z.string().optional().describe('The id of the hold, by which it is approved or rejected.'),
  options: z.array(HoldOption).optional().describe('The answers to choose from.'),
  subRun: z.string().optional().describe('The sub-run that waits.'),
  track: z.string().optional().describe('The track that is paused, if not the whole run.'),
  reason: z.string(),
  files: z.array(z.string()),
  nextStep: z.string(),
  alternatives: z
    .array(z.object({ command: z.string(), purpose: z.string() }))
    .optional()
    .describe('Other commands that answer a hold, such as a rejection.'),
});

/** What the engine does for a run, or for tasks of it, besides its agents; known while it happens and never recorded. */
export const Activity = z.object({
  tasks: z.array(z.string()).describe('The tasks that it is for; none for the run as a whole.'),
  labels: z.array(z.string()).optional().describe('The ids of these tasks for display.'),
  kind: z.enum(['mirror', 'workspace', 'dependencies', 'setup', 'check', 'waiting', 'attempt', 'landing', 'call']),
  what: z.string().describe('One line, such as the command of a check.'),
  detail: z.string().nullable().describe('How far it is: the last line of output, or how much was copied.'),
  since: z.string(),
});
export type Activity = z.infer<typeof Activity>;

/** Why nothing of a running run is in progress; the engine knows it, and without an engine nothing waits. */
export const WaitsFor = z.object({
  kind: z.enum(['time', 'retry', 'run', 'agent', 'slots', 'budget', 'landing']),
  text: z.string().describe('For example: waits for run k3v9x2ab; claude is rate-limited; 1 of 1 slots busy.'),
  until: z.string().nullable().describe('When it ends by itself, where that is known.'),
  task: z.string().nullable().describe('The task that starts next.'),
});
export type WaitsFor = z.infer<typeof WaitsFor>;

/** What `do`, `job`, `show` and `wait` print with --json. */
export const RunDocument = z.object({
  run: z.string(),
  version: z.number().int().describe('Increases with every event of the run.'),
  title: z.string(),
  recipe: z.string(),
  project: z.string(),
  status: RunStatus,
  reason: z.string().nullable(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  base: z.object({ branch: z.string().nullable(), commit: z.string() }),
  landed: z
    .object({
      branch: z.string(),
      commit: z.string(),
      how: z.string(),
      url: z.string().nullable().describe('The pull request; the last one where there are several.'),
      pullRequests: z
        .array(z.object({ url: z.string(), commit: z.string(), task: z.string().nullable() }))
        .optional()
        .describe('All pull requests of the run; each for one task, or for the whole run (null).'),
    })
    .nullable(),
  undone: z
    .object({ branch: z.string(), commit: z.string(), at: z.string() })
    .nullable()
    .describe('The commit that reverts the landing.'),
  cost: z.number(),
  unknownUsage: OfCost,
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  nextAt: z.string().nullable().describe('When its next task starts, if the run waits for a start time.'),
  deadline: z.string().optional().describe('When the run stops, if it has a deadline.'),
  waitsFor: WaitsFor.nullable()
    .default(null)
    .describe('Why nothing of a running run is in progress; null where something is.'),
  activity: z.array(Activity).describe('What the engine does for it now; only in the output of `show`.'),
  carried: z.boolean().optional().describe('Whether an engine is running it now; only in the output of `show`.'),
  filing: Filing.optional().describe('How it is filed in its project; only in the output of `show`.'),
  result: z.unknown().optional(),
  reviewed: z
    .boolean()
    .nullable()
    .describe(
      'Whether the result was reviewed: false if the budget or time ran out first, null if no review was planned.',
    ),
  knownRed: z
    .array(z.string())
    .optional()
    .describe('With --known-red: the tests that failed on the base and still fail on the result.'),
  rehearsal: z.boolean().optional().describe('Every agent is scripted by the built-in scenario.'),
  invalidated: z.array(z.string()).describe('Tasks that were done and must be done again.'),
  nodes: z
    .array(NodeDocument)
    .optional()
    .describe('The nodes of a workflow; in the output of `show` and of commands that follow a run.'),
  progress: ProgressDocument.optional().describe(
    'The progress of a run that works in rounds; in the output of `show` and of commands that follow a run.',
  ),
  attention: z.array(AttentionDocument),
  parent: SubRunParent.optional(),
  subRuns: z.array(SubRunDocument).optional().describe('The runs that its agents started, if any.'),
  baseEvidence: z.array(Evidence).optional().describe('The results of the checks on the base so far.'),
  landingEvidence: z.array(Evidence).optional().describe('Latest results of the checks on the merge with the base.'),
  network: z
    .array(CommandNetworkUse)
    .optional()
    .describe('What its set-up commands and checks requested of the network, each time the run ended.'),
  tasks: z.array(TaskDocument),
});
export type RunDocument = z.infer<typeof RunDocument>;

/** A line of `ls`. */
export const RunSummary = RunDocument.pick({
  run: true,
  title: true,
  recipe: true,
  project: true,
  status: true,
  cost: true,
  unknownUsage: true,
  startedAt: true,
  endedAt: true,
  nextAt: true,
  waitsFor: true,
}).extend({
  carried: z
    .boolean()
    .describe('Whether an engine is running it now; a run with status running and no engine was interrupted.'),
  tasks: z.number().int(),
  done: z.number().int(),
  ...Filing.shape,
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A line of `logs`. */
export const LogLine = z.object({
  id: z.number().int(),
  run: z.string(),
  task: z.string(),
  name: z.string().optional().describe('What the work file calls the task.'),
  attempt: z.number().int(),
  at: z.string(),
  kind: z.string(),
  text: z.string(),
  stderr: z.literal(true).optional().describe('The agent wrote it to its error channel.'),
  data: z.unknown().optional().describe('Additional data, such as the input of a tool call.'),
});
export type LogLine = z.infer<typeof LogLine>;

/** An agent as `models` lists it. */
export const AgentStatus = z.object({
  agent: z.string(),
  kind: z.string(),
  ok: z.boolean().describe('Whether it is usable in this environment now.'),
  detail: z.string(),
  nextStep: z.string().nullable(),
  models: z.object({ light: z.string().nullable(), standard: z.string().nullable(), heavy: z.string().nullable() }),
  accounts: z.array(z.object({ name: z.string(), restsUntil: z.string().nullable() })),
  restsUntil: z.string().nullable(),
  resting: z
    .array(z.object({ account: z.string().nullable(), family: z.string(), until: z.string() }))
    .describe('Model families that a provider rate-limited, each for one login.'),
  ccswitch: z.object({
    on: z.boolean().describe('Whether profiles are used (routing.ccswitch).'),
    note: z.string().nullable().describe('What is wrong with the file of CC Switch, if anything.'),
    profiles: z.array(
      z.object({
        name: z.string(),
        account: z.string().nullable().describe('The login made from it, or that would be; null if it cannot be used.'),
        detail: z.string().nullable(),
      }),
    ),
  }),
  quality: z.object({
    attempts: z.number().int(),
    landed: z.number().int().describe('Attempts whose work passed its checks and landed.'),
    cost: z.number(),
  }),
});
export type AgentStatus = z.infer<typeof AgentStatus>;

/** What `models pick` prints with --json. */
export const AgentPick = z.object({
  role: z.string(),
  agent: z.string().nullable(),
  account: z.string().nullable(),
  tier: z.string().nullable(),
  model: z.string().nullable(),
  because: z.string(),
  candidates: z.array(
    z.object({
      agent: z.string(),
      kind: z.string().nullable().describe('rehearsal: a scripted agent; null: not configured.'),
      ok: z.boolean(),
      detail: z.string(),
      restsUntil: z.string().nullable(),
      score: z.number().describe('Its score from verified results in this role; 0.5 means nothing is known.'),
      results: z.number().int(),
      because: z.string().describe('What the score is based on.'),
    }),
  ),
});
export type AgentPick = z.infer<typeof AgentPick>;
