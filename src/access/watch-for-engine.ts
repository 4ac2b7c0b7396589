import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Home } from '../home.ts';
import { prepareSocketFolder, socketPath } from './socket/socket-path.ts';

/** Calls back whenever the socket of an engine was made or removed; returns the way to stop it. */
export async function watchForEngine({ root }: Home, listener: () => void): Promise<() => void> {
  const path = socketPath(root);
  await prepareSocketFolder(path);
  const watcher = watch(dirname(path), (_, name) => {
    if (name === null || name === basename(path)) listener();
  });
  // A folder that was removed has no engine; whoever makes it again is found by looking.
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}
