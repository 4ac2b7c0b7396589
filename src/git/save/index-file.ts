import { readFile } from 'node:fs/promises';
import { AppError } from '../../errors.ts';

export type IndexEntry = { mode: number; oid: string; stage: number; path: string };

/** `tree` is the id of the index's tree, if git recorded it. */
export type Index = { entries: IndexEntry[]; tree?: string };

/** The mode of an entry that refers to a commit of another repository. */
export const GITLINK = 0o160000;

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

/** Reads one of our index files without running git. */
export async function readIndex(file: string, objectFormat: 'sha1' | 'sha256'): Promise<Index> {
  return parseIndex(await readFile(file), objectFormat);
}

/** Reads the bytes of an index of version 2 or 3; throws on anything else. */
export function parseIndex(bytes: Buffer, objectFormat: 'sha1' | 'sha256'): Index {
  const version = bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC' ? 0 : bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new AppError('GIT_FAILED', `An index of version ${version} cannot be read`);
  const idBytes = objectFormat === 'sha1' ? 20 : 32;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) at = readEntry({ bytes, at, idBytes }, entries);
  const tree = readTree({ bytes, at, idBytes });
  return tree === undefined ? { entries } : { entries, tree };
}

type IndexOffset = { bytes: Buffer; at: number; idBytes: number };

function readEntry({ bytes, at, idBytes }: IndexOffset, entries: IndexEntry[]): number {
  const flagsAt = at + STAT_BYTES + idBytes;
  const flags = bytes.readUInt16BE(flagsAt);
  const pathAt = flagsAt + (flags & EXTENDED ? 4 : 2);
  const end = bytes.indexOf(0, pathAt);
  entries.push({
    mode: bytes.readUInt32BE(at + 24),
    oid: bytes.toString('hex', at + STAT_BYTES, flagsAt),
    stage: (flags >> 12) & 3,
    path: bytes.toString('utf8', pathAt, end),
  });
  return at + Math.floor((end - at + 8) / 8) * 8;
}

function readTree({ bytes, at, idBytes }: IndexOffset): string | undefined {
  while (at + 8 <= bytes.length - idBytes) {
    const size = bytes.readUInt32BE(at + 4);
    const start = at + 8;
    if (bytes.toString('latin1', at, at + 4) === 'TREE') {
      const line = bytes.indexOf('\n', start);
      const [count] = bytes.toString('latin1', start + 1, line).split(' ');
      return Number(count) < 0 ? undefined : bytes.toString('hex', line + 1, line + 1 + idBytes);
    }
    at = start + size;
  }
  return undefined;
}
