import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../errors.ts';
import { run } from '../process/run.ts';

/** The number of files and bytes of a folder. */
export type TreeSize = { files: number; bytes: number };

const MEGABYTE = 1024 * 1024;

/** The description of a seed; its hash covers names, kinds, sizes and times of all its files. */
export const SeedManifest = z.object({
  entries: z.array(z.string()),
  runInEach: z.boolean(),
  hash: z.string(),
  /** Its size; seeds of earlier versions have none. */
  size: z.object({ files: z.number().int(), bytes: z.number() }).optional(),
});
export type SeedManifest = z.infer<typeof SeedManifest>;

/** The manifest in a file, or undefined if it is missing or invalid. */
export async function readManifest(file: string): Promise<SeedManifest | undefined> {
  try {
    const parsed = SeedManifest.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    // Missing or damaged: the seed is created again.
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** What GNU find prints of each file and folder: the same facts as `describeEntry`. */
const FIND_FACTS = '%P\\0%y %m %s %T@ %C@ %i %l\\0';
const FIND_TIMEOUT_MS = 600_000;

/** A hash that changes with any change of a file; unlike the other times, the inode's change time cannot be set back. */
export async function hashTree(root: string): Promise<string> {
  return (await hashByFind(root)) ?? (await measureTree(root)).hash;
}

/** By another process, eight times as fast as here; undefined where there is no GNU find, or it could not read everything. */
async function hashByFind(root: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  let hash = createHash('sha256');
  const command = ['find', root, '-mindepth', '1', '-printf', FIND_FACTS];
  const { code } = await run(command, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: FIND_TIMEOUT_MS,
    maxOutputBytes: 0,
    onStart: () => {
      hash = createHash('sha256');
    },
    onStdout: (chunk) => void hash.update(chunk),
    isRepeatable: true,
  }).catch(() => ({ code: null }));
  return code === 0 ? `find:${hash.digest('hex')}` : undefined;
}

/** The size of a folder, and a hash of it. */
export async function measureTree(root: string): Promise<{ hash: string; size: TreeSize }> {
  const hash = createHash('sha256');
  const size: TreeSize = { files: 0, bytes: 0 };
  await visit(root, '', (line, bytes) => {
    hash.update(line);
    size.files += 1;
    size.bytes += bytes;
  });
  return { hash: hash.digest('hex'), size };
}

type AddEntry = (line: string, bytes: number) => void;

async function visit(root: string, folder: string, add: AddEntry): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = entries.map((entry) => (folder === '' ? entry.name : `${folder}/${entry.name}`));
  const facts = await Promise.all(paths.map((path) => describeEntry(join(root, path))));
  for (const [index, entry] of entries.entries()) {
    const path = paths[index] ?? entry.name;
    const { text = '', bytes = 0 } = facts[index] ?? {};
    add(`${path}\0${text}\0`, bytes);
    if (entry.isDirectory()) await visit(root, path, add);
  }
}

/** What a file or folder is like itself: its mode, size, times, inode and link target. */
export async function describePath(path: string): Promise<string> {
  return (await describeEntry(path)).text;
}

async function describeEntry(path: string): Promise<{ text: string; bytes: number }> {
  const stat = await lstat(path, { bigint: true });
  const target = stat.isSymbolicLink() ? await readlink(path) : '';
  const text = `${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino} ${target}`;
  return { text, bytes: stat.isFile() ? Number(stat.size) : 0 };
}

/** How much of a folder was copied, such as `1,200 of 3,400 files, 70 of 200 MB`; sizes are in proportion to the files. */
export function copiedText(files: number, total: TreeSize | undefined): string {
  if (total === undefined || total.files === 0) return `${number(files)} files`;
  const copied = Math.min(files, total.files);
  const bytes = (total.bytes * copied) / total.files;
  return `${number(copied)} of ${number(total.files)} files, ${megabytes(bytes)} of ${megabytes(total.bytes)} MB`;
}

/** The size of a folder, such as `3,400 files, 200 MB`. */
export function sizeText({ files, bytes }: TreeSize): string {
  return `${number(files)} files, ${megabytes(bytes)} MB`;
}

function megabytes(bytes: number): string {
  return bytes < MEGABYTE ? '<1' : number(Math.round(bytes / MEGABYTE));
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** Every path below a folder, except `.git`. */
export async function listPaths(root: string): Promise<Set<string>> {
  const paths = new Set<string>();
  await walk(root, '', (path) => {
    paths.add(path);
    return true;
  });
  return paths;
}

/** The topmost paths in a folder that were not in the list. */
export async function findCreatedPaths(root: string, before: ReadonlySet<string>): Promise<string[]> {
  const created: string[] = [];
  await walk(root, '', (path) => {
    if (before.has(path)) return true;
    created.push(path);
    return false;
  });
  return created.sort();
}

async function walk(root: string, folder: string, enter: (path: string) => boolean): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path !== '.git' && enter(path) && entry.isDirectory()) await walk(root, path, enter);
  }
}
