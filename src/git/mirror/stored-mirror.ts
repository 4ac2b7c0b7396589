import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { readPlainText } from '../plain-file.ts';
import { type Mirror, mirrorConfig, requireUnmodified } from './mirror-config.ts';

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
