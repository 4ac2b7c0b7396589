import type { ChangedPath } from '../gates/gate.ts';
import type { CommitFiles } from './reached-files.ts';

/** Where the flags of compiled Python begin, after the number of its version. */
const FLAGS_AT = 4;
/** The flags of a file that names its source by a hash, and of one whose hash is compared before it is loaded. */
const BY_HASH = 1;
const COMPARED = 2;

/** Why a compiled module needs a person: it is loaded in place of its source, and what it does cannot be read. */
export async function compiledReason(
  { path, status }: ChangedPath,
  { read }: Pick<CommitFiles, 'read'>,
): Promise<string | undefined> {
  if (status === 'deleted') return undefined;
  if (/\.(so|pyd|node)$/i.test(path)) return 'is a compiled module: what it does to a check cannot be read';
  if (!/\.py[co]$/i.test(path)) return undefined;
  // Without the folder that Python keeps for them, it is a module of its own.
  if (!/(^|\/)__pycache__\/[^/]+$/.test(path)) return 'is compiled Python, which is loaded without any source';
  const flags = (await read(path))?.charCodeAt(FLAGS_AT) ?? 0;
  const isUnchecked = (flags & BY_HASH) !== 0 && (flags & COMPARED) === 0;
  return isUnchecked ? 'is compiled Python that is loaded without a comparison with its source' : undefined;
}
