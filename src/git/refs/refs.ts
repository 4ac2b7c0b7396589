import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAbsent } from '../../errors.ts';
import { isFolder } from '../path-kind.ts';
import { readPlainText } from '../plain-file.ts';

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MAX_REFS = 200_000;
const DEEPEST = 40;

/** Whether a text is a whole object id of either format. */
export function isOid(text: string): boolean {
  return OID.test(text);
}

/** Whether git accepts a ref name, by the rules of check-ref-format. */
export function isRefName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids them in names
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name) || name.includes('..') || name.includes('@{')) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !/\.(lock)?$/.test(part));
}

/** Refuses a branch name that could be read as an option, a path or a revision. */
export function requireBranchName(branch: string): void {
  if (isRefName(branch) && !branch.startsWith('-') && branch !== 'HEAD') return;
  throw new AppError('INPUT_INVALID', `${JSON.stringify(branch)} is not a valid branch name`, { branch });
}

/**
 * The refs in a git directory of the files format, read without running git in it, so that its
 * configuration has no effect. Symbolic links and symbolic refs are omitted.
 */
export async function readRefs(gitDir: string, under = 'refs'): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  for (const [name, oid] of parsePackedRefs(await readPlainText(join(gitDir, 'packed-refs')))) {
    if (name === under || name.startsWith(`${under}/`)) refs.set(name, oid);
  }
  if (await isFolder(join(gitDir, under))) await walk(gitDir, under, refs);
  return refs;
}

/** One ref of a git directory of the files format. */
export async function readRefFile(gitDir: string, ref: string): Promise<string | undefined> {
  const loose = (await readPlainText(join(gitDir, ref))).trim();
  if (isOid(loose)) return loose;
  return parsePackedRefs(await readPlainText(join(gitDir, 'packed-refs'))).get(ref);
}

/** The names and ids in the text of a packed-refs file. */
export function parsePackedRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const oid = line.slice(0, space);
    if (isOid(oid)) refs.set(line.slice(space + 1), oid);
  }
  return refs;
}

async function walk(gitDir: string, folder: string, refs: Map<string, string>): Promise<void> {
  if (folder.split('/').length > DEEPEST) return;
  const entries = await readdir(join(gitDir, folder), { withFileTypes: true }).catch(emptyIfMissing);
  for (const entry of entries) {
    if (refs.size > MAX_REFS) return;
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await walk(gitDir, name, refs);
    if (!entry.isFile() || name.endsWith('.lock')) continue;
    const oid = (await readPlainText(join(gitDir, name))).trim();
    if (isOid(oid)) refs.set(name, oid);
  }
}

function emptyIfMissing(error: unknown): [] {
  if (isAbsent(error)) return [];
  throw error;
}
