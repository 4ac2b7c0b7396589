import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { formatOf, writeObject } from '../read/loose-object.ts';

export type Author = { name: string; email: string };

export type CommitTree = {
  gitDir: string;
  tree: string;
  parents: readonly string[];
  message: string;
  /** The commit's time in milliseconds since 1970, so that the same work gives the same id. */
  now: number;
  author?: Author;
};

const MANYHANDS: Author = { name: 'Manyhands', email: 'manyhands@localhost' };

/** Writes a commit object for a tree directly: no hook can refuse it and it is not signed. */
export async function commitTree(options: CommitTree): Promise<string> {
  const { gitDir, tree, parents, message, author = MANYHANDS } = options;
  if (message.includes('\0')) throw new AppError('INTERNAL', 'A commit message must not contain a NUL', { message });
  const date = `${Math.floor(options.now / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${personOf(author)} ${date}`,
    `committer ${personOf(MANYHANDS)} ${date}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ];
  return writeObject(join(gitDir, 'objects'), {
    type: 'commit',
    content: Buffer.from(lines.join('\n')),
    format: formatOf(tree),
  });
}

/** A person in git's format, without characters that could be read as brackets or as another line. */
function personOf({ name, email }: Author): string {
  const clean = (text: string) =>
    text
      .replace(/[<>\n\0]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: git leaves them out too
      .replace(/^[\u0000-\u0020.,:;"\\']+|[\u0000-\u0020.,:;"\\']+$/g, '');
  return `${clean(name) || MANYHANDS.name} <${clean(email)}>`;
}
