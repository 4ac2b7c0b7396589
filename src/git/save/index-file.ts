import { readFile } from 'node:fs/promises';
import { AppError } from '../../errors.ts';

export type IndexEntry = { mode: number; oid: string; stage: number; path: string };

/** `tree` is the id of the index's tree, if git recorded it; `folders` are those of the folders of which it did, by path. */
export type Index = { entries: IndexEntry[]; tree?: string; folders: ReadonlyMap<string, string> };

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
  const folders = readFolders({ bytes, at, idBytes });
  const tree = folders.get('');
  return tree === undefined ? { entries, folders } : { entries, tree, folders };
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

/** The extension that names the trees of unchanged folders. */
function readFolders({ bytes, at, idBytes }: IndexOffset): Map<string, string> {
  while (at + 8 <= bytes.length - idBytes) {
    const size = bytes.readUInt32BE(at + 4);
    const start = at + 8;
    const folders = new Map<string, string>();
    if (bytes.toString('latin1', at, at + 4) === 'TREE') {
      readFolder({ bytes: bytes.subarray(start, start + size), at: 0, idBytes }, '', folders);
      return folders;
    }
    at = start + size;
  }
  return new Map();
}

/** `name NUL entries SPACE folders LF`, the id unless the number of entries is negative, then the folders inside it. */
function readFolder({ bytes, at, idBytes }: IndexOffset, parent: string, folders: Map<string, string>): number {
  const [nameEnd, line] = [bytes.indexOf(0, at), bytes.indexOf(0x0a, at)];
  if (nameEnd < 0 || line < 0) throw new AppError('GIT_FAILED', 'The folders of an index cannot be read');
  const path = `${parent}${bytes.toString('utf8', at, nameEnd)}`;
  const [entries, inner] = bytes
    .toString('latin1', nameEnd + 1, line)
    .split(' ')
    .map(Number);
  let next = line + 1;
  if (entries !== undefined && entries >= 0) {
    folders.set(path, bytes.toString('hex', next, next + idBytes));
    next += idBytes;
  }
  const prefix = path === '' ? '' : `${path}/`;
  for (let left = inner ?? 0; left > 0; left -= 1) next = readFolder({ bytes, at: next, idBytes }, prefix, folders);
  return next;
}
