import { z } from 'zod';
import { LogLine, RunDocument, RunStatus, RunSummary, UsageRow } from '../schema/document.ts';
import { ShownEvent } from '../schema/event.ts';
import { PullRequest } from '../schema/pull-request.ts';
import { StartOptions, StartRequest } from '../schema/request.ts';
import { RunRef } from '../schema/run-ref.ts';
import { UsageBy } from '../schema/usage.ts';
import { operation } from './contract.ts';
import { BULK_OPERATIONS } from './contracts/bulk-contracts.ts';
import { CATALOG_OPERATIONS } from './contracts/catalog-contracts.ts';
import { CONTROL_OPERATIONS } from './contracts/control-contracts.ts';
import { MODEL_OPERATIONS } from './contracts/model-contracts.ts';
import { PROJECT_OPERATIONS } from './contracts/project-contracts.ts';
import { RESULT_OPERATIONS } from './contracts/result-contracts.ts';
import { SALVAGE_OPERATIONS } from './contracts/salvage-contracts.ts';
import { SERVE_STREAMS } from './contracts/serve-contracts.ts';
import { TERMINAL_OPERATIONS, TERMINAL_STREAMS } from './contracts/terminal-contracts.ts';
import { VIEW_OPERATIONS, VIEW_STREAMS } from './contracts/view-contracts.ts';

export const DoctorLine = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  detail: z.string(),
  fix: z.string().nullable(),
});
export type DoctorLine = z.infer<typeof DoctorLine>;

const CleanItem = z.object({ what: z.string(), path: z.string(), bytes: z.number(), reason: z.string() });

/**
 * Everything that can be asked for, the same through every door. `engine` operations change runs and act:
 * the one engine does them. `anywhere` operations only read and work in any process.
 */
export const OPERATIONS = {
  ...RESULT_OPERATIONS,
  'start-run': operation(
    'engine',
    'Start a run',
    StartRequest,
    z.object({ run: z.string(), notes: z.array(z.string()).describe('What the user should know, a sentence each.') }),
  ),
  'list-runs': operation(
    'anywhere',
    'List runs, newest first',
    z.object({
      dir: z.string().optional(),
      limit: z.number().int().positive().max(1000).default(20),
      collection: z.string().optional(),
      flagged: z.boolean().default(false).describe('Only those that are flagged.'),
      hidden: z.boolean().default(false).describe('Hidden ones too; they do not count against the limit.'),
      status: z.array(RunStatus).optional().describe('Only those that stand so.'),
      text: z.string().max(1_000).optional().describe('Only those whose title, id or recipe holds every word of it.'),
      project: z.string().optional().describe('Only those of the project with this id.'),
      before: z.string().optional().describe('Only those that are older than this run.'),
      archived: z.boolean().default(false).describe('Those that are in archives and no longer in the database.'),
    }),
    z.array(RunSummary),
  ),
  'show-run': operation('anywhere', 'Show a run with its tasks and evidence', z.object(RunRef), RunDocument),
  'diff-run': operation(
    'anywhere',
    'Show what a run, or one of its tasks, changed',
    z.object({ ...RunRef, task: z.string().optional() }),
    z.object({ run: z.string(), from: z.string(), to: z.string(), stat: z.string(), diff: z.string() }),
  ),
  'cancel-run': operation(
    'engine',
    'Cancel a run; everything it made is kept',
    z.object({
      ...RunRef,
      reason: z.string().default('cancelled by a person'),
      force: z.boolean().default(false).describe('Kill its agents at once; what they made is saved all the same.'),
    }),
    RunDocument,
  ),
  'limit-run': operation(
    'engine',
    'Change how many attempts of a run are under way at once',
    z.object({ ...RunRef, agents: z.number().int().min(1).max(150) }),
    RunDocument,
  ),
  'pause-run': operation(
    'engine',
    'Start nothing more in a run, or in one of its tracks, until it is resumed',
    z.object({ ...RunRef, track: z.string().optional(), reason: z.string().default('paused by a person') }),
    RunDocument,
  ),
  'approve-run': operation(
    'engine',
    'Approve a plan or held work',
    z.object({ ...RunRef, task: z.string().optional(), note: z.string().optional() }),
    RunDocument,
  ),
  'retry-run': operation(
    'engine',
    'Try failed or blocked tasks again',
    z.object({
      ...RunRef,
      task: z.string().optional(),
      requeue: z
        .boolean()
        .default(false)
        .describe('Put them back in line from a clean workspace, without counting what was tried; also one that runs.'),
    }),
    RunDocument,
  ),
  'resume-runs': operation(
    'engine',
    "Go on with a run, with all of a project's unfinished ones, or with those of all projects; a run that is named goes on even if it is paused",
    z.object({ ...RunRef, track: z.string().optional() }),
    z.object({
      runs: z.array(z.string()),
      refused: z
        .array(z.object({ run: z.string(), reason: z.string() }))
        .optional()
        .describe('Of all projects: those that could not be taken up.'),
    }),
  ),
  'land-run': operation(
    'engine',
    'Bring a run branch onto its base',
    z.object({
      ...RunRef,
      how: z.enum(['merge', 'branch', 'pr']).default('merge'),
      draft: z.boolean().optional().describe('Open the pull request as a draft.'),
    }),
    RunDocument,
  ),
  'list-pull-requests': operation(
    'anywhere',
    'List the open pull requests of a project, or of one run',
    z.object({ ...RunRef, fromRun: z.boolean().default(false).describe('Only those of the run.') }),
    z.array(PullRequest),
  ),
  'review-pull-request': operation(
    'engine',
    'Review a pull request: read, check, mend, and then approve or merge it as far as it is allowed',
    z.object({
      number: z.number().int().positive(),
      automerge: z.boolean().optional(),
      push: z.boolean().optional(),
      yes: z.boolean().default(false),
      options: StartOptions,
    }),
    z.object({ run: z.string(), notes: z.array(z.string()) }),
  ),
  ...SALVAGE_OPERATIONS,
  clean: operation(
    'engine',
    'Remove workspaces and raw output that are saved and no longer needed',
    z.object({ dir: z.string().optional(), olderThanDays: z.number().nonnegative(), apply: z.boolean() }),
    z.object({ items: z.array(CleanItem), bytes: z.number(), applied: z.boolean() }),
  ),
  usage: operation(
    'anywhere',
    'Tell what runs have consumed',
    z.object({
      dir: z.string().optional(),
      by: UsageBy.default('agent'),
      project: z.string().optional().describe('Only the project with this id.'),
      since: z.iso.date().optional().describe('The first day that counts, such as 2026-03-01.'),
      until: z.iso.date().optional().describe('The last day that counts.'),
      daily: z.boolean().default(false).describe('A line for each day of each name.'),
    }),
    z.array(UsageRow),
  ),
  ...MODEL_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...BULK_OPERATIONS,
  ...TERMINAL_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...CATALOG_OPERATIONS,
  where: operation(
    'anywhere',
    'Say where everything is written',
    z.object({ dir: z.string() }),
    z.array(z.object({ what: z.string(), path: z.string(), exists: z.boolean() })),
  ),
  doctor: operation(
    'anywhere',
    'Check what Manyhands needs',
    z.object({ dir: z.string(), online: z.boolean().optional() }),
    z.array(DoctorLine),
  ),
} as const;

/** Operations that answer with items as they happen, until they end or the asker goes away. */
export const STREAMS = {
  'watch-run': operation(
    'anywhere',
    'Follow the events of a run',
    z.object({ run: z.string(), after: z.number().int().nonnegative().default(0) }),
    ShownEvent,
  ),
  'read-logs': operation(
    'anywhere',
    'Read what the agents said',
    z.object({
      ...RunRef,
      task: z.string().optional(),
      follow: z.boolean().default(false),
      attempt: z.number().int().positive().optional().describe('Only this attempt of each task.'),
      after: z.number().int().nonnegative().default(0).describe('The last line received: only what came later.'),
    }),
    LogLine,
  ),
  ...TERMINAL_STREAMS,
  ...SERVE_STREAMS,
  ...VIEW_STREAMS,
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['input']>;
/** An operation's input after it was checked, its defaults filled in. */
export type OperationChecked<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['input']>;
export type OperationOutput<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['output']>;
export type StreamName = keyof typeof STREAMS;
export type StreamInput<N extends StreamName> = z.input<(typeof STREAMS)[N]['input']>;
export type StreamChecked<N extends StreamName> = z.output<(typeof STREAMS)[N]['input']>;
export type StreamItem<N extends StreamName> = z.output<(typeof STREAMS)[N]['output']>;
