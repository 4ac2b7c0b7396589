import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { endLeftover } from '../process/supervised.ts';
import { checkoutsFolder } from './checkout.ts';
import { removeTree } from './copy-tree.ts';
import { setupsFolder } from './setup.ts';

/** Ends and removes what a killed engine was preparing; only for the engine that now holds the data directory's lock. */
export async function clearLeftovers(home: string): Promise<void> {
  for (const name of await namesIn(setupsFolder(home))) await endLeftover(join(setupsFolder(home), name));
  await removeTree(checkoutsFolder(home));
  const seeds = join(home, 'seeds');
  for (const project of await namesIn(seeds)) {
    const incomplete = (await namesIn(join(seeds, project))).filter((name) => name.includes('.making-'));
    for (const name of incomplete) await removeTree(join(seeds, project, name));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
