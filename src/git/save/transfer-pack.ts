import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

export type PackTransfer = {
  mirror: Mirror;
  /** Our git directory that borrows the agent's objects. */
  source: string;
  scratch: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;
const MAX_PACK_BYTES = 32 * 1024 * 1024;

/**
 * Transfers the history of these commits into the mirror as a pack, with each object checked against its id and each
 * reference followed; false, with an undefined state, if that is refused or too large.
 */
export async function transferPack(
  transfer: PackTransfer,
  tips: readonly string[],
  known: readonly string[],
): Promise<boolean> {
  const { mirror, source, scratch, signal } = transfer;
  const common = { allow: [0, 1, 128], timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
  const input = `${[...tips, ...known.map((oid) => `^${oid}`)].join('\n')}\n`;
  const packed = await git(['pack-objects', '-q', '--revs', '--window=0', join(scratch, 'transfer')], {
    ...common,
    gitDir: source,
    input,
  });
  const name = (await readdir(scratch)).find((file) => /^transfer-.*\.pack$/.test(file));
  if (packed.code !== 0 || name === undefined) return false;
  const pack = await readFile(join(scratch, name));
  if (pack.length > MAX_PACK_BYTES) return false;
  crashpoint('save.transferring');
  const unpacked = await git(['unpack-objects', '-q', '--strict'], { ...common, gitDir: mirror.dir, input: pack });
  crashpoint('save.transferred');
  return unpacked.code === 0;
}

/** Fetches all refs of the borrowing git directory under a prefix of the mirror; returns git's error output. */
export async function fetchAll({ mirror, source, signal }: PackTransfer, prefix: string): Promise<string> {
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  const from = ['--upload-pack', otherEnd('upload-pack'), source, `+refs/*:${prefix}/*`];
  crashpoint('save.fetching');
  const { stderr } = await git(['fetch', ...how, ...from], {
    gitDir: mirror.dir,
    timeoutMs: TIMEOUT_MS,
    allow: [0, 1, 128],
    ...(signal ? { signal } : {}),
  });
  crashpoint('save.fetched');
  return stderr.trim();
}
