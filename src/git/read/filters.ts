import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { gitSettings } from '../environment.ts';
import { git } from '../git.ts';
import type { Repository } from './repository.ts';

type Located = Pick<Repository, 'root' | 'commonDir'>;

/** A filter that the repository's own configuration defines, and the file of that definition. */
type Filter = { name: string; file: string };

/** Filters that must not run, and the files to trust: each with its SHA-256. */
export type UntrustedFilters = { names: string[]; files: { path: string; hash: string }[] };

/** How a user refers to the configuration of the repository, wherever a linked work tree keeps it. */
const CONFIG_NAME = '.git/config';

/** The filters of the repository's own configuration that the user has not trusted by the hash of its file; those of the user's global configuration are theirs. */
export async function untrustedFilters(
  repository: Located,
  trust: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<UntrustedFilters> {
  const filters = await repositoryFilters(repository, signal);
  const files = new Map<string, string>();
  for (const { file } of filters) {
    const hash = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    const path = trustedName(repository, file);
    if (trust[path] !== hash) files.set(path, hash);
  }
  const names = filters.filter(({ file }) => files.has(trustedName(repository, file))).map(({ name }) => name);
  return { names: [...new Set(names)].sort(), files: [...files].map(([path, hash]) => ({ path, hash })) };
}

/** The environment in which git runs none of these filters. */
export function withoutFilters({ names }: UntrustedFilters): Record<string, string> {
  return gitSettings(
    names.flatMap((name): [string, string][] => [
      [`filter.${name}.clean`, ''],
      [`filter.${name}.smudge`, ''],
      [`filter.${name}.process`, ''],
      [`filter.${name}.required`, 'false'],
    ]),
  );
}

/** The message to the user about filters that did not run. */
export function untrustedText({ names, files }: UntrustedFilters): string {
  const trusted = files.map(({ path, hash }) => `${path}: ${hash}`).join(', ');
  const which = names.length === 1 ? `The filter ${names[0]} of` : `The filters ${names.join(', ')} of`;
  return `${which} this repository's git configuration ${names.length === 1 ? 'does' : 'do'} not run, because you have not trusted it; to trust it, add to your settings: trust: { ${trusted} }`;
}

async function repositoryFilters({ root }: Located, signal: AbortSignal | undefined): Promise<Filter[]> {
  const args = [
    'config',
    '--includes',
    '--show-scope',
    '--show-origin',
    '-z',
    '--get-regexp',
    '^filter\\..*\\.(clean|smudge|process)$',
  ];
  const options = { cwd: root, asUser: true, allow: [0, 1], ...(signal === undefined ? {} : { signal }) };
  const fields = (await git(args, options)).stdout.split('\0');
  const filters: Filter[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', entry = ''] = fields.slice(at, at + 3);
    const name = /^filter\.(.*)\.\w+$/s.exec(entry.split('\n')[0] ?? '')?.[1];
    if ((scope === 'local' || scope === 'worktree') && name !== undefined && origin.startsWith('file:'))
      filters.push({ name, file: resolve(root, origin.slice('file:'.length)) });
  }
  return filters;
}

function trustedName({ root, commonDir }: Located, file: string): string {
  return file === join(commonDir, 'config') ? CONFIG_NAME : relative(root, file);
}
