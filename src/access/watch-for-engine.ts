import { basename, dirname } from 'node:path';
import type { Home } from '../home.ts';
import { watchPath } from '../process/files/watch-path.ts';
import { prepareSocketFolder, socketPath } from './socket/socket-path.ts';

/** Calls back whenever the socket of an engine is created or removed; returns a function that stops watching. */
export async function watchForEngine({ root }: Home, listener: () => void): Promise<() => void> {
  const path = socketPath(root);
  await prepareSocketFolder(path);
  const watcher = watchPath(dirname(path), (_, name) => {
    if (name === null || name === basename(path)) listener();
  });
  // A removed folder has no engine; a new one is found by polling.
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}
