import { TaskKey } from '../schema/ids.ts';
import type { Platform } from './platform.ts';

/** A word that can be completed to, and what it means. */
export type Candidate = { value: string; meaning: string };

/** What only a project knows: its runs, and the tasks of the run that is named, or of the latest. */
export type CompletionValues = { runs: Candidate[]; tasks: Candidate[] };

const MOST_RUNS = 50;
const NONE: CompletionValues = { runs: [], tasks: [] };

/** Asks the project at hand; completion never complains, so without a project there is simply nothing to offer. */
export async function completionValues(platform: Platform, words: readonly string[]): Promise<CompletionValues> {
  try {
    return await ask(platform, words);
  } catch {
    // Safe: a shell that completes has no place for an error, and nothing was asked for but suggestions.
    return NONE;
  }
}

async function ask({ terminal, openCaller }: Platform, words: readonly string[]): Promise<CompletionValues> {
  const dir = terminal.cwd;
  await using caller = await openCaller(terminal.env);
  const runs = await caller.call('list-runs', { dir, limit: MOST_RUNS });
  const named = words.find((word) => runs.some(({ run }) => run === word));
  const latest = runs[0]?.run;
  const run = named ?? latest;
  const tasks = run === undefined ? [] : (await caller.call('show-run', { dir, run })).tasks;
  return {
    runs: runs.map(({ run: value, status, title }) => ({ value, meaning: `${status}: ${title}` })),
    tasks: tasks
      .filter(({ key }) => TaskKey.safeParse(key).success)
      .map(({ key, title }) => ({ value: key, meaning: title })),
  };
}
