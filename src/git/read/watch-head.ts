import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Calls when the checked-out commit of a repository may have changed; returns a function that ends it. */
export function watchHead(gitDir: string, onChange: () => void): () => void {
  const logs = join(gitDir, 'logs');
  try {
    // Git appends to logs/HEAD with every commit, checkout and reset; without reflogs, files beside HEAD change.
    const watcher = watch(existsSync(logs) ? logs : gitDir, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // Without change notifications of the file system the next interval finds the commit.
    return () => {};
  }
}
