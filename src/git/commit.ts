import { git } from './git.ts';

export type Author = { name: string; email: string };

export type CommitTree = {
  gitDir: string;
  tree: string;
  parents: readonly string[];
  message: string;
  /** Milliseconds since 1970: the commit's time, so that the same work gives the same id. */
  now: number;
  author?: Author;
};

/** Makes a commit of a tree by plumbing: no hook can refuse it and no signature is asked for. */
export async function commitTree(options: CommitTree): Promise<string> {
  const date = `@${Math.floor(options.now / 1000)} +0000`;
  const { author } = options;
  const by = author === undefined ? {} : { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email };
  const parents = options.parents.flatMap((parent) => ['-p', parent]);
  const made = await git(['commit-tree', ...parents, '-F', '-', options.tree], {
    gitDir: options.gitDir,
    input: options.message.endsWith('\n') ? options.message : `${options.message}\n`,
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, ...by },
  });
  return made.stdout.trim();
}
