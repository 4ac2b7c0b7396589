import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { readPlainText } from '../plain-file.ts';

/** A bare repository that only Manyhands writes; `config` is the text that its configuration must have. */
export type Mirror = { dir: string; objectFormat: 'sha1' | 'sha256'; config: string };

/** The complete configuration text of a git directory that we create, so that a later change is detected by comparison. */
export function configText(sections: Record<string, Record<string, string>>): string {
  return Object.entries(sections)
    .filter(([, values]) => Object.keys(values).length > 0)
    .flatMap(([name, values]) => [`[${name}]`, ...Object.entries(values).map(([key, value]) => setting(key, value))])
    .concat('')
    .join('\n');
}

/** The format settings of every git directory that we create. */
export function formatSections(objectFormat: 'sha1' | 'sha256'): Record<string, Record<string, string>> {
  return {
    core: { repositoryFormatVersion: objectFormat === 'sha1' ? '0' : '1' },
    extensions: objectFormat === 'sha1' ? {} : { objectFormat },
  };
}

/** The filter of Git LFS with the user's own store, so that no object is downloaded or copied. */
export function lfsSections(storage: string | undefined): Record<string, Record<string, string>> {
  if (storage === undefined) return {};
  const filter = { clean: 'git-lfs clean -- %f', smudge: 'git-lfs smudge -- %f', required: 'true' };
  return { 'filter "lfs"': filter, lfs: { storage } };
}

/** The configuration of a mirror: durable, logged, and without anything that drops objects or runs programs. */
export function mirrorConfig(objectFormat: 'sha1' | 'sha256', lfsStorage: string | undefined): string {
  const { core, extensions } = formatSections(objectFormat);
  return configText({
    core: {
      ...core,
      bare: 'true',
      fsync: 'all',
      logAllRefUpdates: 'always',
      hooksPath: '/dev/null',
      fsmonitor: 'false',
      filesRefLockTimeout: '1000',
      packedRefsTimeout: '10000',
    },
    extensions: extensions ?? {},
    gc: { auto: '0', reflogExpire: 'never', reflogExpireUnreachable: 'never' },
    maintenance: { auto: 'false' },
    ...lfsSections(lfsStorage),
  });
}

/** The folder of our own data in the mirror: private indexes, attributes, temporary files. */
export function privateFolder(mirror: Pick<Mirror, 'dir'>): string {
  return join(mirror.dir, 'manyhands');
}

/** Throws if another program changed the mirror's configuration, hooks or attributes. */
export async function requireUnmodified(mirror: Mirror): Promise<void> {
  const unexpected = ['hooks', 'info/attributes', 'info/grafts', 'config.worktree'];
  const found = unexpected.map((name) => exists(join(mirror.dir, name)));
  const changed = (await readPlainText(join(mirror.dir, 'config'))) === mirror.config ? undefined : 'config';
  const what = changed ?? unexpected[found.indexOf(true)];
  if (what === undefined) return;
  throw new AppError('DATA_DAMAGED', `${what} of the mirror ${mirror.dir} was changed by another program`, { what });
}

function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file that cannot be read cannot be used by git either.
    return false;
  }
}

function setting(key: string, value: string): string {
  return `\t${key} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** The existing mirror, for reading when the user's repository is missing; undefined if there is none. */
export async function openStoredMirror(dir: string): Promise<Mirror | undefined> {
  const stored = await readPlainText(join(dir, 'config'));
  if (stored === '') return undefined;
  const storage = storageIn(stored);
  for (const objectFormat of ['sha1', 'sha256'] as const) {
    const mirror = { dir, objectFormat, config: mirrorConfig(objectFormat, storage) };
    if (mirror.config !== stored) continue;
    await requireUnmodified(mirror);
    return mirror;
  }
  throw new AppError('DATA_DAMAGED', `config of the mirror ${dir} was changed by another program`, { what: 'config' });
}

/** The LFS storage folder of the project, if it uses LFS. */
function storageIn(config: string): string | undefined {
  const quoted = /^\tstorage = "(.*)"$/m.exec(config)?.[1];
  return quoted?.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
