import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { recordArchived } from '../../core/project/filing.ts';
import type { RunState } from '../../core/run/state.ts';
import { loadRun } from '../../engine/loop/ledger.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { nodesOf, progressOf } from '../../recipes/registry.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import type { Origin } from '../../schema/actor.ts';
import { projectStream, runStream } from '../../schema/ids.ts';
import { ArchiveResult, type RunRecord } from '../../schema/keeping.ts';
import { requireSame, writeArchive } from '../../store/archive.ts';
import { headText } from '../../store/chain.ts';
import type { Store } from '../../store/store.ts';
import { crashpoint } from '../../world.ts';
import { projectFilter, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

type ArchiveItem = ArchiveResult['items'][number];

/** Which ended runs are archived, and whether they are removed from the database once their archive was verified. */
type Archiving = {
  project: string | undefined;
  olderThanDays: number;
  apply: boolean;
  remove: boolean;
  origin: Origin;
};

const DAY_MS = 86_400_000;

/** Archives old ended runs into files; without `apply` only lists them. */
export const archive = operation({
  name: 'archive',
  where: 'engine',
  summary: 'Archive old ended runs into files',
  http: 'POST /api/archive',
  allow: ['operator'],
  input: z.object({
    dir: z.string().optional(),
    olderThanDays: z.number().nonnegative().default(30),
    apply: z.boolean().default(false),
    remove: z.boolean().default(false).describe('Remove them from the database once their archive was verified.'),
  }),
  output: ArchiveResult,
  run: async (app, { dir, ...input }, { origin }) => {
    const archiving = { ...input, project: await projectFilter(app, { dir }), origin };
    const items: ArchiveItem[] = [];
    for (const run of oldRuns(app, archiving)) items.push(await archiveRun(app, run, archiving));
    return { items, applied: input.apply };
  },
});

/** Runs of the project that ended long enough ago; the oldest first. */
function oldRuns({ store, world }: App, { project, olderThanDays }: Archiving): string[] {
  return store
    .streams('run/')
    .sort((a, b) => a.firstAt - b.firstAt)
    .flatMap(({ stream }) => {
      const state = loadRun(store, stream);
      if (project !== undefined && state.start.project.id !== project) return [];
      const isOld = state.status.kind === 'ended' && world.now() - state.status.at >= olderThanDays * DAY_MS;
      return isOld ? [state.start.run] : [];
    });
}

async function archiveRun(app: App, run: string, { apply, remove, origin }: Archiving): Promise<ArchiveItem> {
  const { home, store, world } = app;
  const unsaved = apply && remove ? await removeFolders(app, run) : undefined;
  const state = loadRun(store, runStream(run));
  const { title, project } = state.start;
  const file = join(home.archives, `${run}-${state.version}.tar.gz`);
  const endedAt = new Date(state.status.kind === 'ended' ? state.status.at : state.updatedAt).toISOString();
  const item = { run, title, endedAt, file, bytes: null, removed: false };
  if (!apply) return { ...item, reason: 'it ended before the given time' };
  const record = recordOf(store, state);
  if (!(await isArchived(file, record))) await writeArchive(file, { record, report: reportOf(store, state) }, world);
  const made = { ...item, bytes: (await stat(file)).size };
  if (!remove) return { ...made, reason: 'it is in the archive and in the database' };
  const folder = await findFolder(home, run);
  if (folder !== undefined)
    return { ...made, reason: `it stays in the database: ${unsaved ?? `${folder} could not be removed`}` };
  crashpoint('archive.removing');
  await store.deleteRun(run, state.version, [
    { stream: projectStream(project.id), expected: -1, events: recordArchived(run), origin },
  ]);
  crashpoint('archive.removed');
  return { ...made, removed: true, reason: 'it is in the archive only' };
}

/** Removes the workspaces of a run, which are saved first, and its raw output; returns the reason if something cannot be saved. */
async function removeFolders(app: App, run: string): Promise<string | undefined> {
  try {
    await requireControl(app).clean({ project: undefined, olderThanDays: 0, apply: true, run });
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'REFUSED') return error.message;
    throw error;
  } finally {
    crashpoint('archive.cleaned');
  }
}

/** Whether an archive contains exactly this run; one that was damaged, or written before the run got more output, is replaced. */
async function isArchived(file: string, record: RunRecord): Promise<boolean> {
  if (!existsSync(file)) return false;
  return requireSame(file, record).then(
    () => true,
    () => false,
  );
}

function recordOf(store: Store, { start }: RunState): RunRecord {
  const texts: Record<string, string> = {};
  for (const hash of Object.values(start.roles)) {
    const text = store.getBlob(hash);
    if (text !== undefined) texts[hash] = text;
  }
  return { ...store.exportRun(start.run), texts };
}

function reportOf(store: Store, state: RunState): string {
  const events = store.read(runStream(state.start.run));
  const head = store.head(runStream(state.start.run));
  return toMarkdown(
    runReport({
      state,
      nodes: nodesOf(state),
      progress: progressOf(state),
      events,
      examination: null,
      unreadable: 'this report was created for an archive',
      chainHead: head === undefined ? undefined : headText(head),
    }),
  );
}

/** A run with folders stays in the database, because otherwise they could not be cleaned any more. */
async function findFolder(home: Home, run: string): Promise<string | undefined> {
  for (const folder of [home.workspaces, home.attempts]) {
    const name = (await readdir(folder)).find((each) => each.startsWith(`${run}-`));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}
