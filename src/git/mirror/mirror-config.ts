import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { readPlainText } from '../plain-file.ts';

/** A bare repository that only Manyhands writes; `config` is the text that its configuration must have. */
export type Mirror = { dir: string; objectFormat: 'sha1' | 'sha256'; config: string };

/** Settings of a git directory that we make: whole text, so that a later change is noticed by comparing. */
export function configText(sections: Record<string, Record<string, string>>): string {
  return Object.entries(sections)
    .filter(([, values]) => Object.keys(values).length > 0)
    .flatMap(([name, values]) => [`[${name}]`, ...Object.entries(values).map(([key, value]) => setting(key, value))])
    .concat('')
    .join('\n');
}

/** What every git directory of ours says about its format. */
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

/** Where we keep what belongs to the mirror and is not git's: private indexes, attributes, work under way. */
export function privateFolder(mirror: Pick<Mirror, 'dir'>): string {
  return join(mirror.dir, 'manyhands');
}

/** Stops when somebody else wrote what decides how git acts in the mirror. */
export async function requireUntouched(mirror: Mirror): Promise<void> {
  const planted = ['hooks', 'info/attributes', 'info/grafts', 'config.worktree'];
  const found = await Promise.all(planted.map((name) => isThere(join(mirror.dir, name))));
  const changed = (await readPlainText(join(mirror.dir, 'config'))) === mirror.config ? undefined : 'config';
  const what = changed ?? planted[found.indexOf(true)];
  if (what === undefined) return;
  throw new AppError('DATA_DAMAGED', `${what} of the mirror ${mirror.dir} was changed by another program`, { what });
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    // What cannot be looked at cannot be used by git either.
    () => false,
  );
}

function setting(key: string, value: string): string {
  return `\t${key} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
