import { mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isAbsent } from '../../errors.ts';
import { readPlainText } from '../plain-file.ts';
import { pathInside } from '../workspace/agent-git.ts';

/** How many stores an agent's repository may borrow from; git itself follows five in a row. */
const MAX_STORES = 8;

/**
 * Folders of ours that show an agent's objects to git, without what git would follow out of the workspace: links, pipes,
 * and stores to borrow from. Each of these could name any repository of the user, whose commits would then be saved where
 * the next attempt can read them. A store in the workspace itself is shown too.
 */
export async function showObjects(objects: string, { path, scratch }: { path: string; scratch: string }) {
  const stores = [await realpath(objects)];
  for (const store of stores) {
    const text = await readPlainText(join(store, 'info', 'alternates'), 65_536);
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      const inner = await pathInside(resolve(store, line), path);
      if (inner !== undefined && !stores.includes(inner) && stores.length < MAX_STORES) stores.push(inner);
    }
  }
  return Promise.all(stores.map((store, index) => showStore(store, join(scratch, `objects-${index}`))));
}

async function showStore(store: string, shown: string): Promise<string> {
  await mkdir(shown);
  const entries = await readdir(store, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^(?:[0-9a-f]{2}|pack)$/.test(entry.name));
  await Promise.all(
    folders.map(async ({ name }) => {
      const folder = join(store, name);
      if (await hasOnlyFiles(folder)) await symlink(folder, join(shown, name));
    }),
  );
  return shown;
}

async function hasOnlyFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { withFileTypes: true })).every((entry) => entry.isFile());
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
