import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { exchangeUrl } from '../../engine/hosts/exchange.ts';
import { fetchResults } from '../../engine/start/exchange-recovery.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { ensureClone, localProject } from '../../engine/start/project-clone.ts';
import { AppError } from '../../errors.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { openStoredMirror } from '../../git/mirror/mirror-config.ts';
import { fetchAttempts, fetchRefs } from '../../git/push/transfer.ts';
import { changedFiles, diffStat } from '../../git/read/diff.ts';
import { fileTraits } from '../../git/read/file-traits.ts';
import { listSaved } from '../../git/save/saved-work.ts';
import type { FileChange } from '../../schema/change.ts';
import type { ProjectRef } from '../find-run.ts';

/** The run, the ordinal of the task and the attempt in a ref of saved work. */
export const SAVED_REF = /^refs\/manyhands\/(?:attempts|late)\/([0-9a-z]{8})-(\d+)-(\d+)\//;

/** The refs of work that a host saved after it had lost its lease. */
const LATE = 'refs/manyhands/late';

export type CommitRange = { from: string; to: string };

/** The mirror of a run's project, with the results of the run, also where another server led before. */
export async function mirrorOfRun(app: App, state: RunState): Promise<Mirror> {
  const mirror = await mirrorOf(app, state.start.project);
  if (app.env.MANYHANDS_DATABASE_URL) await fetchResults(app, mirror, state);
  return mirror;
}

/** The mirror of a project, which contains its results even if the user's repository was deleted. */
export async function mirrorOf({ home, store }: Pick<App, 'home' | 'store'>, recorded: ProjectRef): Promise<Mirror> {
  const project = localProject(home, recorded);
  try {
    await ensureClone({ home, store }, project);
    return (await openProject({ home }, project)).mirror;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'REPOSITORY_GONE') throw error;
    const stored = await openStoredMirror(join(home.mirrors, `${project.id}.git`));
    if (stored === undefined) throw error;
    return stored;
  }
}

/** The files in which two commits differ, with their line counts. */
export async function changesBetween(mirror: Mirror, range: CommitRange): Promise<FileChange[]> {
  const [files, lines, traits] = await Promise.all([
    changedFiles(mirror, range),
    diffStat(mirror, range),
    fileTraits(mirror, range),
  ]);
  const byPath = new Map(lines.map((line) => [line.path, line]));
  return files.flatMap(({ path, status }) => {
    const { added = 0, deleted = 0, binary = false } = byPath.get(path) ?? {};
    const own = traits.get(path);
    const change = { path, status, added, deleted, binary, ...(own === undefined ? {} : { traits: own }) };
    return status === 'renamed' ? [] : [{ ...change, status }];
  });
}

/** All work that was ever saved for a project. */
export async function savedWork(app: App, project: ProjectRef): ReturnType<typeof listSaved> {
  const mirror = await mirrorOf(app, project);
  const late = (await fetchHostsWork(app, project, mirror)) ? await listSaved(mirror, LATE) : [];
  const isOwn = ({ ref }: { ref: string }) => {
    const [, run = ''] = SAVED_REF.exec(ref) ?? [];
    return app.runs.ids().includes(run) && app.runs.state(run).start.project.id === project.id;
  };
  return [...(await listSaved(mirror, 'refs/manyhands/attempts')), ...late.filter(isOwn)];
}

/** Fetches what hosts pushed, also after they had lost their lease; false where there are no hosts. */
async function fetchHostsWork(app: App, project: ProjectRef, mirror: Mirror): Promise<boolean> {
  if (!app.env.MANYHANDS_DATABASE_URL) return false;
  // Settings that cannot be read are reported by the commands that need them.
  const config = await (await app.implementations()).config(project.root).catch(() => undefined);
  const url = config && exchangeUrl(app, config);
  if (url === undefined) return false;
  const transfer = { mirror, url };
  const runs = app.runs.ids().filter((run) => app.overviews.of(run).projectId === project.id);
  // A repository that does not answer has no more to offer than what was fetched before.
  await fetchAttempts(transfer, runs).catch(() => {});
  await fetchRefs(transfer, [`${LATE}/`]).catch(() => {});
  return true;
}
