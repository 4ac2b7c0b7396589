import { TaskKey } from '../../schema/ids.ts';
import { batchFiles } from '../../templates/batch.ts';
import { templateNames, templateSources } from '../../templates/load.ts';
import { listNamed } from '../../templates/named-files.ts';
import type { Platform } from '../platform.ts';

/** A completion and its description. */
export type Candidate = { value: string; meaning: string };

/** The completions that depend on the project: its runs, the tasks of the named or latest run, templates, batches and collections. */
export type CompletionValues = {
  runs: Candidate[];
  tasks: Candidate[];
  templates: Candidate[];
  batches: Candidate[];
  collections: Candidate[];
};

const MOST_RUNS = 50;
/** A name that a shell needs no quotes for. */
const ONE_WORD = /^[\p{L}\p{N}._-]+$/u;

/** The completions of the current project; without a project there are none, because completion reports no errors. */
export async function completionValues(platform: Platform, words: readonly string[]): Promise<CompletionValues> {
  const [recorded, templates, batches] = await Promise.all([
    orDefault(() => recordedValues(platform, words), { runs: [], tasks: [], collections: [] }),
    orDefault(() => templateCandidates(platform), []),
    orDefault(() => batchCandidates(platform), []),
  ]);
  return { ...recorded, templates, batches };
}

async function orDefault<T>(load: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await load();
  } catch {
    // Safe: a completing shell cannot show an error, and suggestions are optional.
    return fallback;
  }
}

async function templateCandidates({ terminal }: Platform): Promise<Candidate[]> {
  const names = await templateNames(await templateSources(terminal.env, terminal.cwd));
  return names.map((value) => ({ value, meaning: 'template' }));
}

async function batchCandidates({ terminal }: Platform): Promise<Candidate[]> {
  const names = await listNamed(await batchFiles(terminal.cwd));
  return names.map((value) => ({ value, meaning: 'batch' }));
}

async function recordedValues(
  { terminal, openCaller }: Platform,
  words: readonly string[],
): Promise<Pick<CompletionValues, 'runs' | 'tasks' | 'collections'>> {
  const dir = terminal.cwd;
  await using caller = await openCaller(terminal.env);
  const collections = await orDefault(() => caller.call('list-collections', { dir }), []);
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
