import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

export type PackTransfer = {
  mirror: Mirror;
  /** The git directory of ours that lends the objects. */
  source: string;
  scratch: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;
const MAX_PACK_BYTES = 32 * 1024 * 1024;

/**
 * Brings what leads to these commits into the mirror in two small steps, each object checked against its name and
 * each link followed; false, and nothing to rely on, when that is refused or too large.
 */
export async function transferPack(
  carry: PackTransfer,
  tips: readonly string[],
  known: readonly string[],
): Promise<boolean> {
  const { mirror, source, scratch, signal } = carry;
  const common = { allow: [0, 1, 128], timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
  const input = `${[...tips, ...known.map((oid) => `^${oid}`)].join('\n')}\n`;
  const packed = await git(['pack-objects', '-q', '--revs', '--window=0', join(scratch, 'carry')], {
    ...common,
    gitDir: source,
    input,
  });
  const name = (await readdir(scratch)).find((file) => /^carry-.*\.pack$/.test(file));
  if (packed.code !== 0 || name === undefined) return false;
  const pack = await readFile(join(scratch, name));
  if (pack.length > MAX_PACK_BYTES) return false;
  crashpoint('save.carrying');
  const unpacked = await git(['unpack-objects', '-q', '--strict'], { ...common, gitDir: mirror.dir, input: pack });
  crashpoint('save.carried');
  return unpacked.code === 0;
}

/** Fetches all refs of the lending git directory under a prefix of the mirror's; what git says is for whoever reads them back. */
export async function fetchAll({ mirror, source, signal }: PackTransfer, prefix: string): Promise<string> {
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  const from = ['--upload-pack', otherEnd('upload-pack'), source, `+refs/*:${prefix}/*`];
  crashpoint('save.taking');
  const { stderr } = await git(['fetch', ...how, ...from], {
    gitDir: mirror.dir,
    timeoutMs: TIMEOUT_MS,
    allow: [0, 1, 128],
    ...(signal ? { signal } : {}),
  });
  crashpoint('save.taken');
  return stderr.trim();
}
