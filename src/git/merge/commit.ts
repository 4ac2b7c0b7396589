import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { formatOf, writeObject } from '../read/loose-object.ts';

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

const OURSELVES: Author = { name: 'Manyhands', email: 'manyhands@localhost' };

/** Makes a commit of a tree by writing it: no hook can refuse it and no signature is asked for. */
export async function commitTree(options: CommitTree): Promise<string> {
  const { gitDir, tree, parents, message, author = OURSELVES } = options;
  if (message.includes('\0')) throw new AppError('INTERNAL', 'A commit message may not hold a NUL', { message });
  const date = `${Math.floor(options.now / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${personOf(author)} ${date}`,
    `committer ${personOf(OURSELVES)} ${date}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ];
  return writeObject(join(gitDir, 'objects'), {
    type: 'commit',
    content: Buffer.from(lines.join('\n')),
    format: formatOf(tree),
  });
}

/** As git writes a person: nothing that could be taken for the brackets, or for another line. */
function personOf({ name, email }: Author): string {
  const clean = (text: string) =>
    text
      .replace(/[<>\n\0]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: git leaves them out too
      .replace(/^[\u0000-\u0020.,:;"\\']+|[\u0000-\u0020.,:;"\\']+$/g, '');
  return `${clean(name) || OURSELVES.name} <${clean(email)}>`;
}
