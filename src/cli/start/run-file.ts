import type { Caller } from '../../access/caller.ts';
import { findProjectRoot } from '../../config/files.ts';
import { loadConfig } from '../../config/load.ts';
import { shellWord } from '../../core/view/shell-word.ts';
import { AppError } from '../../errors.ts';
import type { OperationInput } from '../../operations/all.ts';
import { stopsAfterPlan } from '../../recipes/file-request.ts';
import { findRecipe } from '../../recipes/registry.ts';
import { todoOf } from '../../recipes/todo/todo-file.ts';
import type { Config } from '../../schema/config.ts';
import type { RunDocument } from '../../schema/document.ts';
import type { WorkFile } from '../../schema/work-file.ts';
import { showStart } from '../follow/show-steps.ts';
import { type Work, work } from '../follow/work.ts';
import type { Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { dryRun, dryRunLines } from './dry-run.ts';
import { planIntoFile } from './plan-into-file.ts';
import { confirmTodo, type RequestedWork, readRequestedWork } from './requested-work.ts';
import { onlyOf, type RunFlags } from './run-options.ts';
import { startOptions } from './start-options.ts';
import { workRequest } from './work-request.ts';

type Options = OperationInput<'start-run'>['options'];

/** How a command differs from `run`: the formats it accepts, whether it continues to pull requests, what it does at the end. */
export type RunFileOptions = {
  through?: boolean;
  recipes?: readonly WorkFile['recipe'][];
  settled?(document: RunDocument): Promise<void>;
};

/** Reads a work file, then shows what it would start, plans its tasks, or runs it. */
export async function runFile(
  session: Session,
  { flags, file, options = {} }: { flags: RunFlags; file: string | undefined; options?: RunFileOptions },
): Promise<number> {
  const { terminal } = session.platform;
  const typed = await startOptions(terminal, flags.sequential ? { ...flags, maxParallel: 1 } : flags);
  const requested = await readRequestedWork(terminal, {
    file,
    dir: typed.dir,
    format: flags.format,
    only: onlyOf(flags),
  });
  requireRecipe(requested, options);
  const root = await findProjectRoot(typed.dir);
  const config = await loadConfig({ env: terminal.env, ...(root === undefined ? {} : { dir: root }) });
  const choices = { ...flags, through: options.through ?? false };
  const request = workRequest(requested.work, { typed: { ...typed, workFile: requested.path }, config, choices });
  if (flags.dryRun) return await showDryRun(session, flags, { requested, config, options: request.options });
  printNotes(terminal, requested.work.notes);
  const todo = todoOf(requested.work);
  if (todo !== undefined && flags.format === undefined && !flags.yes && !flags.background) {
    const instead = `manyhands run ${shellWord(requested.file)} --format todo`;
    await confirmTodo(session.platform, { todo, file: requested.file, instead });
  }
  if (todo !== undefined && stopsAfterPlan(config, choices)) {
    const input = async () => ({ ...todo, file: todo.file ?? requested.file });
    return planIntoFile(session, { ...flags, flags, input, as: 'tasks', output: flags.output, readsInput: false });
  }
  if (flags.withReview && flags.detach)
    throw new AppError('USAGE', '--with-review waits for the run, so it cannot be used with --detach');
  const settled: Work['settled'] = async (document, caller) => {
    await options.settled?.(document);
    return flags.withReview ? reviewsOf(session, { document, caller, yes: flags.yes, options: typed }) : [];
  };
  return work(session, {
    ...flags,
    dir: typed.dir,
    many: flags.withReview,
    begin: async (caller) => {
      const { run, notes } = await showStart(session.platform, caller, {
        dir: typed.dir,
        begin: () => caller.call('start-run', request),
      });
      printNotes(terminal, notes);
      return [run];
    },
    ...(flags.withReview || options.settled !== undefined ? { settled } : {}),
  });
}

function requireRecipe({ file, work: { recipe, format } }: RequestedWork, { recipes }: RunFileOptions): void {
  if (recipes === undefined || recipes.includes(recipe)) return;
  throw new AppError(
    'USAGE',
    `This command does not accept ${file} (${format}). Run it with: manyhands run ${shellWord(file)}`,
    {
      file,
    },
  );
}

async function showDryRun(
  { platform }: Session,
  flags: RunFlags,
  {
    requested,
    config,
    options,
  }: { requested: RequestedWork; config: Config; options: Parameters<typeof dryRun>[2]['options'] },
): Promise<number> {
  const { terminal } = platform;
  await using caller = await platform.openCaller(terminal.env);
  const dry = await dryRun(caller, requested, { config, options });
  if (flags.json) {
    printJson(terminal, dry);
    return 0;
  }
  printLines(terminal, dryRunLines(terminal, dry));
  printNotes(terminal, dry.notes);
  return 0;
}

function printNotes(terminal: Terminal, notes: readonly string[]): void {
  for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
}

/** Starts a review of each pull request that a run has opened; returns the review runs. */
async function reviewsOf(
  { platform }: Session,
  { document, caller, yes, options }: { document: RunDocument; caller: Caller; yes: boolean; options: Options },
): Promise<string[]> {
  if (findRecipe(document.recipe)?.pullRequest === 'settle') return [];
  const { terminal } = platform;
  if (document.landed?.how !== 'pr') {
    terminal.err(`note: There is nothing to review: run ${document.run} opened no pull request\n`);
    return [];
  }
  const { land: _, base: __, title: ___, ...rest } = options;
  const runs: string[] = [];
  const pulls = await caller.call('list-pull-requests', { dir: options.dir, run: document.run, fromRun: true });
  for (const { number } of pulls) {
    const { run, notes } = await caller.call('review-pull-request', { number, yes, options: rest });
    for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
    runs.push(run);
  }
  return runs;
}
