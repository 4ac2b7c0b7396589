import { isAbsolute, join, relative } from 'node:path';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { inspectRepository, uncommitted } from '../../git/read/repository.ts';
import type { StartOptions } from '../../schema/request.ts';

type Prepared = { options: StartOptions; commit: string; notes: string[] };

/** The options of a run that starts from a commit of a clone: the same on the server, with its folders. */
export async function prepareStart(
  options: StartOptions,
  { project, root }: { project: { root: string; remote?: string | undefined }; root: string },
): Promise<Prepared> {
  if (project.remote === undefined)
    throw new AppError('PROJECT_UNKNOWN', `The server knows ${root} only as a folder, not by its remote`, { root });
  const repository = await inspectRepository(options.dir);
  const lands = options.land === 'merge' || options.land === 'pr';
  const commit = await commitOf(root, options.base ?? 'HEAD');
  const branch = options.base ?? repository.branch;
  if (lands && branch === null)
    throw new AppError('INPUT_INVALID', 'HEAD is detached, so there is no branch to land on: name one with --base');
  const changes = await uncommitted(repository, {});
  const count = changes.length === 1 ? '1 uncommitted change is' : `${changes.length} uncommitted changes are`;
  const notes = [
    ...(changes.length === 0
      ? []
      : [`Your ${count} not part of this run; it starts from commit ${commit.slice(0, 10)}.`]),
    ...(lands ? [`It starts from and lands on ${branch} as the remote of the project has it.`] : []),
  ];
  const there = (path: string) => pathThere(path, { from: root, to: project.root });
  return {
    commit,
    notes,
    options: {
      ...options,
      dir: project.root,
      base: lands && branch !== null ? branch : commit,
      ...(options.scenario === undefined ? {} : { scenario: there(options.scenario) }),
      ...(options.workFile === undefined ? {} : { workFile: there(options.workFile) }),
    },
  };
}

async function commitOf(root: string, revision: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = await git(args, { cwd: root, allow: [0, 1, 128] });
  if (found.code === 0) return found.stdout.trim();
  throw new AppError('BRANCH_UNKNOWN', `There is no branch or commit ${revision}`, { wanted: revision });
}

/** A file of the clone in the clone of the server; a file elsewhere cannot be used there. */
function pathThere(path: string, { from, to }: { from: string; to: string }): string {
  const inside = relative(from, path);
  if (!inside.startsWith('..') && !isAbsolute(inside)) return join(to, inside);
  throw new AppError('NOT_ON_SERVER', `${path} is not in the repository, so the server does not have it`, { path });
}
