import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shellWord } from '../shim.ts';
import { canReplaceFiles, refreshedFiles, refreshedMounts, withRefreshedFiles } from './login-refresh.ts';

/** A folder or file of which a sandbox shows private copies, except the entries that are named. */
export type PrivateFolder = {
  path: string;
  refreshed: readonly string[];
  sessions: readonly string[];
  read: readonly string[];
};

/** Where the originals are readable while they are copied. */
const ORIGINALS = '/run/manyhands/login';
/** A larger file is shown read-only instead: a copy is in memory. */
export const LARGEST_COPY_BYTES = 16 * 1024 * 1024;

type Copy = { names: string[]; from: string; to: string };

/** The mounts of such folders, by their paths; folders for sessions are made where they are missing. */
export function privateFolderMounts(
  folders: readonly PrivateFolder[],
  privateFolder: (path: string) => string[],
): [string, string[]][] {
  return folders.flatMap((folder) => {
    const { path, refreshed, sessions, read } = folder;
    if (isFile(path) || (!existsSync(path) && sessions.length === 0)) return [];
    for (const name of sessions) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
    const bind = (option: string, names: readonly string[]): [string, string[]][] =>
      names
        .map((name) => join(path, name))
        .filter((each) => existsSync(each))
        .map((each) => [each, [option, each, each]]);
    return [
      [path, privateFolder(path)],
      ...bind('--ro-bind', [...read, ...largeFiles(folder)]),
      ...bind('--bind', [...(canReplaceFiles() ? [] : refreshed), ...sessions]),
    ];
  });
}

/** The mounts through which the originals are copied, and those of files that are refreshed. */
export function originalMounts(folders: readonly PrivateFolder[]): string[] {
  const copies = folders.flatMap((folder, index) => {
    if (copyOf(folder, index) === undefined) return [];
    const target = join(ORIGINALS, String(index));
    return ['--ro-bind', folder.path, isFile(folder.path) ? join(target, basename(folder.path)) : target];
  });
  return [...copies, ...refreshedMounts(refreshedFiles(folders))];
}

/** The command after the files of these folders were copied, with those that it refreshes; without any it is unchanged. */
export function afterCopies(plain: readonly string[], folders: readonly PrivateFolder[]): readonly string[] {
  const command = withRefreshedFiles(plain, refreshedFiles(folders));
  const copies = folders.flatMap((folder, index) => copyOf(folder, index) ?? []);
  if (copies.length === 0) return command;
  const lines = copies.map(
    ({ names, from, to }) =>
      `cp -p ${names.map((name) => shellWord(join(from, name))).join(' ')} ${shellWord(`${to}/`)}`,
  );
  return ['/bin/sh', '-c', `${lines.join('; ')}; exec "$@"`, 'sandbox', ...command];
}

function copyOf(folder: PrivateFolder, index: number): Copy | undefined {
  const { path } = folder;
  const from = join(ORIGINALS, String(index));
  if (isFile(path)) return { names: [basename(path)], from, to: dirname(path) };
  const large = new Set(largeFiles(folder));
  const names = ownFiles(folder).filter((name) => !large.has(name));
  return names.length === 0 ? undefined : { names, from, to: path };
}

function largeFiles(folder: PrivateFolder): string[] {
  return ownFiles(folder).filter((name) => statSync(join(folder.path, name)).size > LARGEST_COPY_BYTES);
}

/** The files that are not among the named entries. */
export function ownFiles({ path, refreshed, sessions, read }: PrivateFolder): string[] {
  const named = new Set([...refreshed, ...sessions, ...read]);
  if (!existsSync(path)) return [];
  return readdirSync(path).filter((name) => !named.has(name) && isFile(join(path, name)));
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
