import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { configText, formatSections } from '../mirror/mirror-config.ts';

/** A git directory that borrows its objects; `head` is the content of its HEAD file. */
export type CloneDir = {
  mirror: Mirror;
  dir: string;
  head: string;
  refs?: ReadonlyMap<string, string>;
  /** Object folders to borrow from before the mirror's. */
  borrowed?: readonly string[];
  config?: Record<string, Record<string, string>>;
};

/** Writes a git directory without running git: no template, no remote, only what is given here. */
export async function writeCloneDir(options: CloneDir): Promise<void> {
  const { mirror, dir, head } = options;
  const made = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];
  await Promise.all(made.map((name) => mkdir(join(dir, name), { recursive: true })));
  const borrowed = [...(options.borrowed ?? []), join(mirror.dir, 'objects')];
  await Promise.all([
    writeFile(join(dir, 'HEAD'), `${head}\n`),
    writeFile(join(dir, 'config'), configText(merged(mirror, options.config ?? {}))),
    writeFile(join(dir, 'objects', 'info', 'alternates'), `${borrowed.join('\n')}\n`),
    writeFile(join(dir, 'packed-refs'), packedRefs(options.refs ?? new Map())),
    copyIfExists(join(mirror.dir, 'shallow'), join(dir, 'shallow')),
    copyIfExists(join(mirror.dir, 'info', 'exclude'), join(dir, 'info', 'exclude')),
  ]);
}

function merged(mirror: Mirror, extra: Record<string, Record<string, string>>): Record<string, Record<string, string>> {
  const { core, extensions } = formatSections(mirror.objectFormat);
  return { ...extra, core: { ...core, bare: 'false', ...extra.core }, extensions: extensions ?? {} };
}

/** The text of a packed-refs file. */
export function packedRefs(refs: ReadonlyMap<string, string>): string {
  const sorted = [...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return ['# pack-refs with: sorted ', ...sorted.map(([name, oid]) => `${oid} ${name}`), ''].join('\n');
}

async function copyIfExists(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
