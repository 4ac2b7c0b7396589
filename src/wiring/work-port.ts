import { existsSync } from 'node:fs';
import { openProject } from '../engine/activate.ts';
import { AppError } from '../errors.ts';
import { diffStat, diffText, type FileStat } from '../git/diff.ts';
import { snapshotRoot } from '../git/folder.ts';
import { listFiles } from '../git/list-files.ts';
import { readRef } from '../git/mirror-refs.ts';
import { pushBranch } from '../git/push.ts';
import { inspectRepository, projectId, type Repository } from '../git/repository.ts';
import { listSaved } from '../git/saved-work.ts';
import type { Home } from '../home.ts';
import type { WorkPort } from '../operations/ports.ts';
import { changesBetween, lookAt } from './sight.ts';

/** What git can tell about a project, from its mirror. */
export function workPort(home: Home): WorkPort {
  return {
    project: async (dir) => {
      const repository = await inspectRepository(dir).catch((error: unknown) => inspectSnapshot(home, dir, error));
      return { id: projectId(repository), root: repository.root };
    },
    diff: async (project, range) => {
      const { mirror } = await openProject({ home }, project);
      return { stat: describe(await diffStat(mirror, range)), diff: await diffText(mirror, range) };
    },
    changes: async (project, range) => changesBetween((await openProject({ home }, project)).mirror, range),
    sight: async (project, place) => lookAt((await openProject({ home }, project)).mirror, place),
    files: async (dir) => {
      const { gitDir, head } = await inspectRepository(dir);
      const files = await listFiles({ dir: gitDir }, head);
      return { commit: head, files: files.map(({ path }) => path) };
    },
    saved: async (project) => listSaved((await openProject({ home }, project)).mirror, 'refs/manyhands/attempts'),
    restore: async (project, ref, branch) => {
      const { mirror, repository } = await openProject({ home }, project);
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
