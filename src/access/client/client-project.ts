import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { remoteAddress } from '../../git/read/remote-address.ts';
import { type Location, locateRepository } from '../../git/read/repository.ts';
import type { OperationOutput } from '../../operations/all.ts';

type Project = OperationOutput<'list-projects'>[number];

/** The project of a server to which a clone on this machine belongs: that of one of its remotes, or with the same folder. */
export async function findServerProject(
  dir: string,
  { url, list }: { url: string; list: () => Promise<Project[]> },
): Promise<{ project: Project; repository: Location }> {
  const repository = await locateRepository(dir);
  const remotes = await remotesOf(repository.root);
  const projects = await list();
  const found =
    projects.find(({ remote }) => remote !== undefined && remotes.includes(remoteAddress(remote))) ??
    projects.find(({ root }) => root === repository.root);
  if (found !== undefined) return { project: found, repository };
  throw new AppError('PROJECT_UNKNOWN', `${url} has no project with a remote of ${repository.root}`, {
    url: remotes[0] ?? '<url>',
    root: repository.root,
  });
}

async function remotesOf(root: string): Promise<string[]> {
  const args = ['config', '-z', '--get-regexp', '^remote\\..*\\.(push)?url$'];
  const { stdout } = await git(args, { cwd: root, asUser: true, allow: [0, 1] });
  const urls = stdout.split('\0').flatMap((entry) => entry.split('\n').slice(1));
  return urls.filter((url) => url !== '').map(remoteAddress);
}
