import { z } from 'zod';
import { CompactRun } from '../../schema/compact-run.ts';
import { RunStatus } from '../../schema/document.ts';
import { InboxItem } from '../../schema/inbox.ts';
import { KnownProject } from '../../schema/known-project.ts';
import { RunsItem } from '../../schema/overview.ts';
import { RunRef } from '../../schema/run-ref.ts';
import { SearchResult } from '../../schema/search.ts';
import { TranscriptHits, TranscriptPage } from '../../schema/transcript-page.ts';
import { operation } from '../contract.ts';

const TaskRef = { ...RunRef, task: z.string() };
const AttemptRef = { ...TaskRef, attempt: z.number().int().positive().optional().describe('By default the last.') };

/** What those ask who look at all work at once: pages, full-screen views, other programs. */
export const VIEW_OPERATIONS = {
  'run-state': operation(
    'anywhere',
    'Give the state of a run, onto which the events after its version can be folded',
    z.object(RunRef),
    z.object({
      version: z.number().int(),
      now: z.number().describe('The clock of the engine, in milliseconds since 1970.'),
      state: z
        .unknown()
        .describe(
          'The fold of its events, small: prompts are empty, long texts are cut to 300 characters, ' +
            'outputs of checks and big answers are left out, of a thousand tasks and more their gates too. ' +
            'show-task tells a task whole.',
        ),
    }),
  ),
  'show-task': operation(
    'anywhere',
    'Show a task whole, with its prompt and all its attempts',
    z.object(TaskRef),
    z.object({
      run: z.string(),
      title: z.string(),
      project: z.string(),
      recipe: z.string(),
      status: RunStatus.describe('How the run stands.'),
      task: z.unknown().describe('The state of the task: spec, attempts, evidence, phase.'),
      dependents: z.array(z.string()).describe('The tasks that need it.'),
      stale: z.boolean().describe('It was done and must be done again.'),
      resumable: z.boolean().describe('Its agent can go on where the last attempt ended.'),
    }),
  ),
  'read-transcript': operation(
    'anywhere',
    'Read a page of what an agent said in one attempt',
    z.object({
      ...AttemptRef,
      offset: z.number().int().nonnegative().optional().describe('Rows to skip; by default the last page is given.'),
      row: z.number().int().positive().optional().describe('Give the page around this row.'),
      limit: z.number().int().min(1).max(1000).default(200),
      find: z.string().max(1_000).optional().describe('Begin at the first row from the offset on that holds it.'),
    }),
    TranscriptPage,
  ),
  'find-in-transcript': operation(
    'anywhere',
    'Find a text in what an agent said in one attempt',
    z.object({
      ...AttemptRef,
      text: z.string().max(1_000),
      after: z.number().int().nonnegative().default(0).describe('The last row found before.'),
      limit: z.number().int().min(1).max(1000).default(100),
    }),
    TranscriptHits,
  ),
  search: operation(
    'anywhere',
    'Search all transcripts and tasks',
    z.object({
      text: z.string().max(1_000),
      dir: z.string().optional().describe('Only the project of this folder.'),
      project: z.string().optional().describe('Only the project with this id.'),
      run: z.string().optional(),
      before: z.number().int().positive().optional().describe('The `next` of the page before.'),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    SearchResult,
  ),
  'list-inbox': operation(
    'anywhere',
    'List what waits for a person in all projects, the oldest first',
    z.object({ dir: z.string().optional(), project: z.string().optional().describe('Only the project with this id.') }),
    z.array(InboxItem),
  ),
  'list-projects': operation(
    'anywhere',
    'List the projects in which anything was ever started',
    z.object({}),
    z.array(KnownProject),
  ),
  'mark-read': operation(
    'engine',
    'Mark a run as read, or as unread again',
    z.object({ ...RunRef, read: z.boolean().default(true) }),
    z.object({ run: z.string(), unread: z.boolean() }),
  ),
  'compact-run': operation(
    'anywhere',
    'Tell in a few words how a run goes and what to do next',
    z.object({ ...RunRef, after: z.string().max(100).optional().describe('The cursor of the answer before.') }),
    CompactRun,
  ),
} as const;

/** What goes on in all runs at once. */
export const VIEW_STREAMS = {
  'watch-runs': operation(
    'anywhere',
    'Follow all runs: the newest and all open ones first, then each as it changes',
    z.object({
      after: z.number().int().nonnegative().default(0).describe('The last position received: only what changed since.'),
      limit: z.number().int().min(1).max(1000).default(200).describe('So many ended runs at first.'),
      dir: z.string().optional().describe('Only those of the project of this folder.'),
    }),
    RunsItem,
  ),
} as const;
