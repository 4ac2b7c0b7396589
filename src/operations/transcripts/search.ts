import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { TaskOverviewStatus } from '../../schema/overview.ts';
import type { SearchHit } from '../../store/store.ts';
import { completeId, projectFilter } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The result of `search`: rows of transcripts, newest first, and tasks by their instructions. */
export const SearchResult = z.object({
  hits: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      task: z.string(),
      taskTitle: z.string(),
      attempt: z.number().int(),
      row: z.number().int(),
      at: z.string(),
      kind: z.string(),
      excerpt: z.string(),
    }),
  ),
  tasks: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      task: z.string(),
      taskTitle: z.string(),
      status: TaskOverviewStatus,
    }),
  ),
  next: z.number().int().nullable().describe('Pass it as `before` for older hits; null if there are none.'),
});
export type SearchResult = z.infer<typeof SearchResult>;

type Hit = SearchResult['hits'][number];
type TaskHit = SearchResult['tasks'][number];
type Query = { text: string; run?: string; projectId?: string; before?: number; limit: number };

/** The size and maximum number of pages that are read while hits of other projects are skipped. */
const PAGE = 200;
const MOST_PAGES = 25;
/** The maximum number of runs whose tasks are searched. */
const MOST_RUNS = 20;

/** Searches the transcripts and the tasks of runs. */
export const search = operation({
  name: 'search',
  where: 'anywhere',
  summary: 'Search all transcripts and tasks',
  http: 'GET /api/search',
  allow: ['viewer', 'operator'],
  input: z.object({
    text: z.string().max(1_000),
    dir: z.string().optional().describe('Only the project of this folder.'),
    project: z.string().optional().describe('Only the project with this id.'),
    run: z.string().optional(),
    before: z.number().int().positive().optional().describe('The `next` of the previous page.'),
    limit: z.number().int().min(1).max(200).default(50),
  }),
  output: SearchResult,
  run: async (app, { text, dir, project, run, before, limit }) => {
    const projectId = await projectFilter(app, { dir, project });
    const query = {
      text,
      limit,
      ...(run === undefined ? {} : { run: completeId(app, run) }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(before === undefined ? {} : { before }),
    };
    const states = statesOf(app);
    const { hits, next } = searchTranscripts(app, query, states);
    return { hits, next, tasks: before === undefined ? searchTasks(app, query, states) : [] };
  },
});

type States = (run: string) => RunState | undefined;

/** Folds each run once per search; a removed run has no state. */
function statesOf(app: App): States {
  const ids = new Set(app.runs.ids());
  const known = new Map<string, RunState>();
  return (run) => {
    if (!ids.has(run)) return undefined;
    const state = known.get(run) ?? app.runs.state(run);
    known.set(run, state);
    return state;
  };
}

function searchTranscripts(app: App, query: Query, states: States): Pick<SearchResult, 'hits' | 'next'> {
  const { text, limit, run, projectId } = query;
  const hits: Hit[] = [];
  let before = query.before;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const size = projectId === undefined ? limit + 1 : PAGE;
    const rows = app.store.search({
      text,
      limit: size,
      ...(run === undefined ? {} : { run }),
      ...(before === undefined ? {} : { before }),
    });
    for (const row of rows) {
      if (hits.length === limit) return { hits, next: before ?? null };
      before = row.id;
      const hit = describe(row, states(row.attempt.slice(0, row.attempt.indexOf('-'))), projectId);
      if (hit !== undefined) hits.push(hit);
    }
    if (rows.length < size) return { hits, next: null };
  }
  return { hits, next: before ?? null };
}

/** The name of an attempt is its run, the ordinal of its task, and its number. */
function describe(row: SearchHit, state: RunState | undefined, projectId: string | undefined): Hit | undefined {
  const [, ordinal, attempt] = row.attempt.split('-').map(Number);
  const key = state?.order[(ordinal ?? 0) - 1];
  const task = key === undefined ? undefined : state?.tasks[key];
  if (state === undefined || task === undefined) return undefined;
  if (projectId !== undefined && state.start.project.id !== projectId) return undefined;
  return {
    run: state.start.run,
    title: state.start.title,
    task: task.spec.key,
    taskTitle: task.spec.title,
    attempt: attempt ?? 0,
    row: row.id,
    at: new Date(row.at).toISOString(),
    kind: row.kind,
    excerpt: row.excerpt,
  };
}

function searchTasks(app: App, { text, run, projectId, limit }: Query, states: States): TaskHit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const runs = run === undefined ? runsMentioning(app, words) : [run];
  const found: TaskHit[] = [];
  for (const id of runs) {
    const state = states(id);
    if (state === undefined || (projectId !== undefined && state.start.project.id !== projectId)) continue;
    for (const key of state.order) {
      const task = state.tasks[key];
      if (found.length >= limit) return found;
      if (task === undefined || !mentions(task, words)) continue;
      const { title } = state.start;
      found.push({ run: id, title, task: key, taskTitle: task.spec.title, status: task.phase.status });
    }
  }
  return found;
}

function mentions({ spec }: TaskState, words: readonly string[]): boolean {
  const text = `${spec.key} ${spec.name ?? ''} ${spec.title} ${spec.prompt}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function runsMentioning({ store }: App, words: readonly string[]): string[] {
  return store
    .mentioning(words, MOST_RUNS)
    .flatMap((stream) => (stream.startsWith('run/') ? [stream.slice('run/'.length)] : []));
}
