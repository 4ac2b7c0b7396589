import type { Ports } from '../../app/port-interfaces.ts';
import type { SearchHitRow } from '../../app/view-interfaces.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import type { SearchResult } from '../../schema/search.ts';
import { completeId } from '../find-run.ts';
import type { Operation } from '../operation.ts';

type Hit = SearchResult['hits'][number];
type TaskHit = SearchResult['tasks'][number];
type Wanted = { text: string; run?: string; projectId?: string; before?: number; limit: number };

/** Hits of other projects are passed over in pages of so many, and not for ever. */
const PAGE = 200;
const MOST_PAGES = 25;
/** So many runs are looked through for tasks. */
const MOST_RUNS = 20;

/** Searches what agents said and what tasks ask for. */
export const search: Operation<'search'> = async (ports, { text, dir, project, run, before, limit }) => {
  const projectId = dir === undefined ? project : (await ports.work.project(dir)).id;
  const wanted = {
    text,
    limit,
    ...(run === undefined ? {} : { run: completeId(ports, run) }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(before === undefined ? {} : { before }),
  };
  const states = statesOf(ports);
  const { hits, next } = said(ports, wanted, states);
  return { hits, next, tasks: before === undefined ? tasksAbout(ports, wanted, states) : [] };
};

type States = (run: string) => RunState | undefined;

/** Each run is folded once for a search; one that is gone says nothing. */
function statesOf(ports: Ports): States {
  const ids = new Set(ports.runs.ids());
  const known = new Map<string, RunState>();
  return (run) => {
    if (!ids.has(run)) return undefined;
    const state = known.get(run) ?? ports.runs.state(run);
    known.set(run, state);
    return state;
  };
}

function said(ports: Ports, wanted: Wanted, states: States): Pick<SearchResult, 'hits' | 'next'> {
  const { text, limit, run, projectId } = wanted;
  const hits: Hit[] = [];
  let before = wanted.before;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const size = projectId === undefined ? limit + 1 : PAGE;
    const rows = ports.transcripts.search({
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

/** An attempt is called by its run, the place of its task, and its number. */
function describe(row: SearchHitRow, state: RunState | undefined, projectId: string | undefined): Hit | undefined {
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

function tasksAbout(ports: Ports, { text, run, projectId, limit }: Wanted, states: States): TaskHit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const runs = run === undefined ? ports.transcripts.mentioning(words, MOST_RUNS) : [run];
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
