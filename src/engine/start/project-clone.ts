import { basename, join } from 'node:path';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import { exists } from '../../git/path-kind.ts';
import { cloneRemote, updateClone } from '../../git/push/clone-remote.ts';
import { CLONE_SUFFIX } from '../../git/read/repository.ts';
import type { Home } from '../../home.ts';
import { ProjectEvent } from '../../schema/event.ts';
import { projectStream } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';

/** The folder of a project that was added by its URL: the same name on every machine. */
export function cloneFolder({ clones }: Pick<Home, 'clones'>, id: string): string {
  return join(clones, `${id}${CLONE_SUFFIX}`);
}

/** A recorded project as this machine has it: one that was added by its URL is in this data directory, whichever it was in. */
export function localProject<P extends { id: string; root: string }>(home: Pick<Home, 'clones'>, project: P): P {
  const here = cloneFolder(home, project.id);
  const isClone = project.root.endsWith(`/${basename(home.clones)}/${basename(here)}`);
  return isClone ? { ...project, root: here } : project;
}

/** Clones a project that was added by its URL, where this machine does not have it yet. */
export async function ensureClone(
  { home, store }: { home: Home; store: Store },
  { id, root }: { id: string; root: string },
): Promise<void> {
  const dir = cloneFolder(home, id);
  if (root !== dir || (await exists(join(dir, '.git')))) return;
  const url = remoteOf(store, id);
  if (url !== undefined) await withMutex(`clone ${dir}`, () => cloneRemote({ dir, url }));
}

/** Fetches what is new at the remote of a project that was added by its URL, before a run starts in it. */
export async function refreshClone({ home, store }: { home: Home; store: Store }, root: string): Promise<void> {
  const name = root.startsWith(`${home.clones}/`) ? root.slice(home.clones.length + 1) : '';
  if (!name.endsWith(CLONE_SUFFIX)) return;
  const id = name.slice(0, -CLONE_SUFFIX.length);
  const url = remoteOf(store, id);
  if (url === undefined)
    throw new AppError('PROJECT_UNKNOWN', `The project ${id} was removed: add it again to start runs in it`, { id });
  await ensureClone({ home, store }, { id, root });
  await withMutex(`clone ${root}`, () => updateClone({ dir: root, url }));
}

/** The URL that the project was last added with; undefined for one that is a folder of this machine. */
function remoteOf(store: Store, id: string): string | undefined {
  let url: string | undefined;
  for (const { type, data } of store.read(projectStream(id))) {
    if (type !== 'project.added' && type !== 'project.removed') continue;
    const event = ProjectEvent.safeParse({ type, data }).data;
    if (event?.type === 'project.added') url = event.data.remote;
    else if (event?.type === 'project.removed') url = undefined;
  }
  return url;
}
