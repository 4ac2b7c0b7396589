import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How many bytes a folder holds; links are not followed. What disappears meanwhile counts nothing. */
export async function treeBytes(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return stat?.size ?? 0;
  const names = await readdir(path).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += await treeBytes(join(path, name));
  return bytes;
}
