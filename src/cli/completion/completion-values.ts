import { TaskKey } from '../../schema/ids.ts';
import { batchFiles } from '../../templates/batch.ts';
import { templateNames, templateSources } from '../../templates/load.ts';
import { listNamed } from '../../templates/named-files.ts';
import type { Platform } from '../platform.ts';

/** A word that can be completed to, and what it means. */
export type Candidate = { value: string; meaning: string };

/** What only a project knows: its runs, the tasks of the run that is named or of the latest, and what was given a name in it. */
export type CompletionValues = {
  runs: Candidate[];
  tasks: Candidate[];
  templates: Candidate[];
  batches: Candidate[];
  collections: Candidate[];
};

const MOST_RUNS = 50;
/** What a shell takes as it is: a name with spaces would have to be quoted. */
const ONE_WORD = /^[\p{L}\p{N}._-]+$/u;

/** Asks the project at hand; completion never complains, so without a project there is simply nothing to offer. */
export async function completionValues(platform: Platform, words: readonly string[]): Promise<CompletionValues> {
  const [recorded, templates, batches] = await Promise.all([
    orNothing(() => recordedValues(platform, words), { runs: [], tasks: [], collections: [] }),
    orNothing(() => ownTemplates(platform), []),
    orNothing(() => ownBatches(platform), []),
  ]);
  return { ...recorded, templates, batches };
}

async function orNothing<T>(ask: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await ask();
  } catch {
    // Safe: a shell that completes has no place for an error, and nothing was asked for but suggestions.
    return nothing;
  }
}

async function ownTemplates({ terminal }: Platform): Promise<Candidate[]> {
  const names = await templateNames(await templateSources(terminal.env, terminal.cwd));
  return names.map((value) => ({ value, meaning: 'template' }));
}

async function ownBatches({ terminal }: Platform): Promise<Candidate[]> {
  const names = await listNamed(await batchFiles(terminal.cwd));
  return names.map((value) => ({ value, meaning: 'batch' }));
}

async function recordedValues(
  { terminal, openCaller }: Platform,
  words: readonly string[],
): Promise<Pick<CompletionValues, 'runs' | 'tasks' | 'collections'>> {
  const dir = terminal.cwd;
  await using caller = await openCaller(terminal.env);
  const collections = await orNothing(() => caller.call('list-collections', { dir }), []);
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
    collections: collections
      .filter(({ name }) => ONE_WORD.test(name))
      .map(({ name, runs: count }) => ({ value: name, meaning: `${count} runs` })),
  };
}
