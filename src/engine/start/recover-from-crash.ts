import { readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dropUnusedIndexes } from '../../git/save/private-index.ts';
import type { Home } from '../../home.ts';
import { removeLeftoverGroups } from '../../process/cgroup.ts';
import { removeLeftoverLimits } from '../../process/limit-groups.ts';
import { endLeftover } from '../../process/supervised.ts';
import type { Store } from '../../store/store.ts';
import { clearLeftovers } from '../../workspaces/checkout.ts';
import { endUnknownAgents } from '../attempt/launch-record.ts';

const OURS_ALONE = /^[0-9a-z]{8}-(gate|call)-/;

/**
 * The first step after an engine was killed: ends checks, set-ups and small calls that it left running, and agents of runs that the database lost, and removes incomplete files and empty cgroups.
 * Then `openRun` corrects branches by the events, and `Engine.run` adopts the agents and repeats what was not recorded.
 */
export async function recoverFromCrash(home: Home, store: Pick<Store, 'read'>): Promise<void> {
  await clearLeftovers(home.root);
  await clearIndexes(home);
  removeLeftoverGroups();
  removeLeftoverLimits();
  for (const name of await readdir(home.attempts)) {
    if (!OURS_ALONE.test(name)) continue;
    await endLeftover(join(home.attempts, name));
    await rm(join(home.attempts, name), { recursive: true, force: true });
  }
  await endUnknownAgents(home, store);
}

/** Removes the indexes of workspaces that do not exist any more; one that is elsewhere has a link here. */
async function clearIndexes({ mirrors, workspaces }: Home): Promise<void> {
  const paths = (await readdir(workspaces)).map((name) => join(workspaces, name));
  const elsewhere = await Promise.all(paths.map((path) => readlink(path).catch(() => path)));
  for (const name of await readdir(mirrors)) await dropUnusedIndexes({ dir: join(mirrors, name) }, elsewhere);
}
