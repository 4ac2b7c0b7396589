import { cpSync, lstatSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isFile, LARGEST_COPY_BYTES, ownFiles } from './login-folders.ts';
import type { RefreshedFile } from './login-refresh.ts';
import type { RuntimeSettings } from './runtime-config.ts';

/** The private home of one program: what it may read and write outside of it, where other login folders are, and its refreshed files. */
export type RuntimeHome = {
  read: string[];
  write: string[];
  /** Folders of a login outside of the home folder, with the private ones in their place. */
  moved: Map<string, string>;
  refreshed: RefreshedFile[];
};

/**
 * Makes a home folder for one program, for systems on which a path cannot show something else to one program. What is
 * shown of the person's home is linked into it, files of a login are copied, and those that its vendor refreshes and its
 * sessions are linked to the person's own.
 */
export function makeRuntimeHome(settings: RuntimeSettings, home: string): RuntimeHome {
  const made: RuntimeHome = {
    read: [...settings.read],
    write: [...settings.write],
    moved: new Map(),
    refreshed: [],
  };
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const [index, folder] of settings.copied.entries()) {
    const { path, refreshed, sessions, read } = folder;
    const inside = isBelow(path, settings.home);
    const own = inside ? join(home, relative(settings.home, path)) : join(home, '.logins', String(index));
    if (isFile(path)) {
      copyFile(path, own);
      continue;
    }
    if (!inside) made.moved.set(path, own);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    for (const name of sessions) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
    for (const name of ownFiles(folder)) {
      if (statSync(join(path, name)).size <= LARGEST_COPY_BYTES) copyFile(join(path, name), join(own, name));
      else made.read.push(linked(join(path, name), join(own, name)));
    }
    for (const name of read.filter((each) => isThere(join(path, each))))
      made.read.push(linked(join(path, name), join(own, name)));
    for (const name of [...refreshed, ...sessions].filter((each) => isThere(join(path, each))))
      made.write.push(linked(join(path, name), join(own, name)));
    for (const name of refreshed.filter((each) => isThere(join(path, each))))
      made.refreshed.push({ seen: join(own, name), own: join(path, name) });
  }
  const shown = [...settings.read, ...settings.write].filter((path) => isBelow(path, settings.home) && isThere(path));
  for (const path of shown.sort((a, b) => a.length - b.length)) {
    const link = join(home, relative(settings.home, path));
    // What is in a folder that is linked is shown with it.
    if (!isThere(link)) linked(path, link);
  }
  return made;
}

/** Writes files that the program has replaced to those of the person, and links them again. */
export function keepRefreshed(files: readonly RefreshedFile[]): void {
  for (const { seen, own } of files) {
    const before = lstatSync(seen, { throwIfNoEntry: false });
    if (before?.isFile() !== true || before.size === 0) continue;
    const text = readFileSync(seen);
    if (!text.equals(readFileSync(own))) writeFileSync(own, text);
    const after = lstatSync(seen, { throwIfNoEntry: false });
    if (after?.ino !== before.ino || after.mtimeMs !== before.mtimeMs) continue;
    symlinkSync(own, `${seen}.link`);
    renameSync(`${seen}.link`, seen);
  }
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to, { dereference: true });
}

function linked(to: string, link: string): string {
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
  symlinkSync(to, link);
  return to;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isBelow(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner !== '' && !inner.startsWith('..');
}
