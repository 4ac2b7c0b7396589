import { z } from 'zod';
import { Acceptance, Judgement } from '../../schema/acceptance.ts';
import { ChangeSummary } from '../../schema/change.ts';
import { Evidence } from '../../schema/gate.ts';
import { ArchiveResult, BackupResult } from '../../schema/keeping.ts';
import { RunRef } from '../../schema/run-ref.ts';
import { UndoResult } from '../../schema/undo.ts';
import { operation } from '../contract.ts';

/** What can be asked for about results: look at them, decide about them, take them back, and keep them. */
export const RESULT_OPERATIONS = {
  'summarize-diff': operation(
    'anywhere',
    'Tell in figures what a run, or one of its tasks, changed',
    z.object({ ...RunRef, task: z.string().optional() }),
    ChangeSummary.extend({ run: z.string(), from: z.string(), to: z.string() }),
  ),
  'verify-run': operation('anywhere', 'Say whether the result of a run can be accepted', z.object(RunRef), Acceptance),
  'recheck-run': operation(
    'engine',
    'Run the checks of an ended run again on its result',
    z.object(RunRef),
    z.object({ run: z.string(), evidence: z.array(Evidence) }),
  ),
  'judge-run': operation(
    'anywhere',
    'Decide about a run: approve, revise or block',
    z.object({ ...RunRef, opinions: z.array(z.string()).default([]).describe('Runs in which a judge was asked.') }),
    Judgement,
  ),
  'ask-judge': operation(
    'engine',
    'Ask an agent what it thinks of a run',
    z.object({ ...RunRef, agents: z.array(z.string()).default([]) }),
    z.object({ run: z.string() }),
  ),
  'report-run': operation(
    'anywhere',
    'Write the report of a run',
    z.object({ ...RunRef, format: z.enum(['md', 'html']).default('md') }),
    z.object({ run: z.string(), format: z.enum(['md', 'html']), text: z.string() }),
  ),
  'undo-run': operation(
    'engine',
    'Take a landed run back, where git proves it safe',
    z.object({
      ...RunRef,
      dryRun: z.boolean().default(false),
      branch: z.boolean().default(false).describe('Also delete the branch of the run, after saving it.'),
      reason: z.string().default('asked for by a person'),
    }),
    UndoResult,
  ),
  backup: operation(
    'anywhere',
    'Copy the database to a file that was read through',
    z.object({ keep: z.number().int().min(1).max(1000).default(5) }),
    BackupResult,
  ),
  archive: operation(
    'engine',
    'Put old ended runs into files',
    z.object({
      dir: z.string().optional(),
      olderThanDays: z.number().nonnegative().default(30),
      apply: z.boolean().default(false),
      remove: z.boolean().default(false).describe('Remove them from the database once their archive was read back.'),
    }),
    ArchiveResult,
  ),
  'restore-archive': operation(
    'engine',
    'Put an archived run back into the database',
    z.object({ archive: z.string() }),
    z.object({ run: z.string() }),
  ),
} as const;
