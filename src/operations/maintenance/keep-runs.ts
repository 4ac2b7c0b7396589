import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archiving, KeepPort } from '../../app/keep-interface.ts';
import type { RunState } from '../../core/run/state.ts';
import { loadRun } from '../../engine/loop/ledger.ts';
import { forgetBackupFailure } from '../../engine/maintenance/automatic-backup.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import type { ProjectEvent } from '../../schema/event.ts';
import { projectStream, RunId, runStream } from '../../schema/ids.ts';
import type { ArchiveResult, RunRecord } from '../../schema/keeping.ts';
import { readArchive, requireSame, writeArchive } from '../../store/archive.ts';
import { backupDatabase } from '../../store/sqlite/backup.ts';
import type { Store, Write } from '../../store/store.ts';
import { crashpoint, type World } from '../../world.ts';
import { archivedRuns } from './archived-runs.ts';

type Keeping = { home: Home; store: Store; world: World };
type ArchiveItem = ArchiveResult['items'][number];

const DAY_MS = 86_400_000;

/** Keeps what is stored: copies of the database, and old runs in files next to it. */
export function keepPort(keeping: Keeping): KeepPort {
  const { home, store, world } = keeping;
  return {
    backup: async (keep) => {
      const asked = { file: home.database, folder: home.backups, keep, kind: 'requested' as const, world };
      const made = await backupDatabase(asked);
      await forgetBackupFailure(home);
      return made;
    },
    archive: async (archiving) => {
      const items: ArchiveItem[] = [];
      for (const state of oldRuns(keeping, archiving)) items.push(await archiveRun(keeping, state, archiving));
      return { items, applied: archiving.apply };
    },
    restore: async (archive) => {
      const record = await readArchive(await findArchive(home, archive));
      await store.importRun(record);
      const project = projectStream(loadRun(store, runStream(record.run)).start.project.id);
      await store.append([told(project, 'run.restored', record.run)], world.now());
      return { run: record.run };
    },
    archived: () => archivedRuns(keeping),
  };
}

function told(stream: string, type: 'run.archived' | 'run.restored', run: string): Write {
  const event: ProjectEvent = { type, data: { run } };
  return { stream, expected: -1, events: [event] };
}

/** Ended runs, long enough ago, of the project that is meant; the oldest first. */
function oldRuns({ store, world }: Keeping, { project, olderThanDays }: Archiving): RunState[] {
  return store
    .streams('run/')
    .sort((a, b) => a.firstAt - b.firstAt)
    .flatMap(({ stream }) => {
      const state = loadRun(store, stream);
      if (project !== undefined && state.start.project.id !== project) return [];
      const isOld = state.status.kind === 'ended' && world.now() - state.status.at >= olderThanDays * DAY_MS;
      return isOld ? [state] : [];
    });
}

async function archiveRun(keeping: Keeping, state: RunState, { apply, remove }: Archiving): Promise<ArchiveItem> {
  const { home, store, world } = keeping;
  const { run, title } = state.start;
  const file = join(home.archives, `${run}-${state.version}.tar.gz`);
  const endedAt = new Date(state.status.kind === 'ended' ? state.status.at : state.updatedAt).toISOString();
  const item = { run, title, endedAt, file, bytes: null, removed: false };
  if (!apply) return { ...item, reason: 'its run ended long ago' };
  const record = recordOf(store, state);
  if (existsSync(file)) await requireSame(file, record);
  else await writeArchive(file, { record, report: reportOf(store, state) }, world);
  const made = { ...item, bytes: (await stat(file)).size };
  if (!remove) return { ...made, reason: 'it is in the archive and in the database' };
  if (await hasFolders(home, run))
    return { ...made, reason: `it stays in the database: it still has folders, which manyhands clean removes` };
  crashpoint('archive.removing');
  await store.deleteRun(run, state.version, [told(projectStream(state.start.project.id), 'run.archived', run)]);
  crashpoint('archive.removed');
  return { ...made, removed: true, reason: 'it is in the archive only' };
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
  return toMarkdown(runReport({ state, events, looked: null, blind: 'this report was made for an archive' }));
}

/** Folders of a run that is not on record could not be cleaned any more. */
async function hasFolders(home: Home, run: string): Promise<boolean> {
  for (const folder of [home.workspaces, home.attempts]) {
    if ((await readdir(folder)).some((name) => name.startsWith(`${run}-`))) return true;
  }
  return false;
}

async function findArchive(home: Home, wanted: string): Promise<string> {
  if (!RunId.safeParse(wanted).success) return wanted;
  const names = existsSync(home.archives) ? await readdir(home.archives) : [];
  const versions = names.flatMap((name) => {
    const version = new RegExp(`^${wanted}-(\\d+)\\.tar\\.gz$`).exec(name)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  if (versions.length > 0) return join(home.archives, `${wanted}-${Math.max(...versions)}.tar.gz`);
  throw new AppError('RUN_UNKNOWN', `There is no archive of run ${wanted} in ${home.archives}`, { run: wanted });
}
