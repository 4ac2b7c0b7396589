import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkPort } from '../../app/port-interfaces.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { AppError } from '../../errors.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { openStoredMirror } from '../../git/mirror/stored-mirror.ts';
import { pushBranch } from '../../git/push/push.ts';
import { diffStat, diffText, type FileStat } from '../../git/read/diff.ts';
import { listFiles } from '../../git/read/list-files.ts';
import { inspectRepository, projectId, type Repository } from '../../git/read/repository.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import { listSaved } from '../../git/save/saved-work.ts';
import { snapshotRoot } from '../../git/save/snapshot-folder.ts';
import type { Home } from '../../home.ts';
import { changesBetween, takeResultSnapshot } from '../results/result-snapshot.ts';

/** What git can tell about a project, from its mirror. */
export function workPort(home: Home): WorkPort {
  return {
    project: async (dir) => {
      const repository = await inspectRepository(dir).catch((error: unknown) => inspectSnapshot(home, dir, error));
      return { id: projectId(repository), root: repository.root };
    },
    diff: async (project, range) => {
      const mirror = await mirrorOf(home, project);
      return { stat: describe(await diffStat(mirror, range)), diff: await diffText(mirror, range) };
    },
    changes: async (project, range) => changesBetween(await mirrorOf(home, project), range),
    sight: async (project, place) => takeResultSnapshot((await openProject({ home }, project)).mirror, place),
    files: async (dir) => {
      const { gitDir, head } = await inspectRepository(dir);
      const files = await listFiles({ dir: gitDir }, head);
      return { commit: head, files: files.map(({ path }) => path) };
    },
    saved: async (project) => listSaved(await mirrorOf(home, project), 'refs/manyhands/attempts'),
    restore: async (project, ref, { branch, to }) => {
      const { mirror, repository } = await placesOf(home, project, to);
      const commit = await readRef(mirror, ref);
      if (commit === undefined) throw new AppError('INPUT_INVALID', `There is no saved work ${ref}`, { ref });
      const pushed = await pushBranch({ mirror, repository, commit, branch, expected: null });
      if (pushed.kind === 'pushed') return { branch, commit };
      throw new AppError(
        'BRANCH_TAKEN',
        `The branch ${branch} could not be made (${pushed.reason}): ${pushed.detail}`,
        { branch },
      );
    },
  };
}

/** What was made is in the mirror, also when the user's repository is gone. */
async function mirrorOf(home: Home, project: { id: string; root: string }): Promise<Mirror> {
  try {
    return (await openProject({ home }, project)).mirror;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'REPOSITORY_GONE') throw error;
    const stored = await openStoredMirror(join(home.mirrors, `${project.id}.git`));
    if (stored === undefined) throw error;
    return stored;
  }
}

/** From where and into which repository work is brought: the project's own, unless another clone was named. */
async function placesOf(
  home: Home,
  project: { id: string; root: string },
  to: string | undefined,
): Promise<{ mirror: Mirror; repository: Repository }> {
  if (to === undefined) return openProject({ home }, project);
  return { mirror: await mirrorOf(home, project), repository: await inspectRepository(to) };
}

/** A folder that is no repository is known by the snapshot that was taken of it. */
async function inspectSnapshot(home: Home, dir: string, error: unknown): Promise<Repository> {
  if (!(error instanceof AppError) || error.code !== 'NOT_A_REPOSITORY') throw error;
  const root = await snapshotRoot(home.folders, dir).catch(() => undefined);
  if (root === undefined || !existsSync(root)) throw error;
  return inspectRepository(root);
}

function describe(files: readonly FileStat[]): string {
  const lines = files.map((file) => `${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}\t${file.path}`);
  return lines.join('\n');
}
