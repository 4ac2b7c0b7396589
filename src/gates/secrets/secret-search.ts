import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isAbsent } from '../../errors.ts';
import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { type Added, addedText, type History } from '../../git/read/added-text.ts';
import type { SecretCandidate } from './secret-finding.ts';
import { scanText } from './secret-scan.ts';

/** A candidate with its location; `line` 0 means the file's name, an empty path a commit's message. */
export type FoundSecret = SecretCandidate & { commit: string; path: string; line: number };

/** What was found, and what could not be read whole. */
export type Search = { found: FoundSecret[]; unread: string[] };

const CHUNK_BYTES = 128 * 1024;
const OVERLAP_CHARS = 4 * 1024;
/** More findings than this are not listed. */
const MAX_FOUND = 5_000;

/** Looks through everything that a history adds, up to a limit: contents, names and messages of each of its commits. */
export async function searchHistory(
  mirror: Mirror,
  history: History & { maxChars: number },
  signal: AbortSignal,
): Promise<Search> {
  const search: Search = { found: [], unread: [] };
  const names = new Map<string, string>();
  let chars = 0;
  for await (const added of addedText(mirror, history, signal)) {
    if (added.kind === 'text') {
      chars += added.text.length;
      add(search, await scanAdded(added));
    } else if (added.kind === 'name') names.set(added.path, added.commit);
    else search.unread.push(added.path);
    if (chars <= history.maxChars) continue;
    search.unread.push(`what follows the first ${Math.round(chars / 1_000_000)} MB`);
    break;
  }
  add(search, await scanNames(names));
  return search;
}

/** How many different secrets a file holds, up to a limit; a missing file has none. */
export async function searchFile(path: string, maxBytes: number, signal: AbortSignal): Promise<Set<string>> {
  const real = new Set<string>();
  let before = '';
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, end: maxBytes - 1, signal })) {
      const text = before + (Buffer.isBuffer(chunk) ? chunk.toString('latin1') : '');
      for (const { class: kind, value } of await scanText(text)) if (kind === 'real') real.add(value);
      before = text.slice(-OVERLAP_CHARS);
      await setImmediate();
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return real;
}

/** Those of the values that a commit's files already hold; git receives them on its standard input only. */
export async function knownIn(mirror: Mirror, commit: string, values: readonly string[]): Promise<Set<string>> {
  if (values.length === 0) return new Set();
  const args = ['grep', '--text', '-h', '-o', '-F', '--no-color', '-f', '-', commit, '--'];
  const { stdout } = await git(args, {
    gitDir: mirror.dir,
    input: Buffer.from(`${values.join('\n')}\n`, 'latin1'),
    allow: [0, 1],
  });
  const lines = new Set(Buffer.from(stdout, 'utf8').toString('latin1').split('\n'));
  return new Set(values.filter((value) => lines.has(value)));
}

async function scanAdded(added: Extract<Added, { kind: 'text' }>): Promise<FoundSecret[]> {
  const { commit, path, lineAt } = added;
  const found = await scanText(added.text);
  // Scanning takes a while, and others wait for this thread.
  await setImmediate();
  return found.map((candidate) => ({ ...candidate, commit, path, line: lineAt(candidate.at) }));
}

async function scanNames(names: ReadonlyMap<string, string>): Promise<FoundSecret[]> {
  const paths = [...names.keys()];
  const text = paths.map((path) => path.replaceAll('\n', ' ')).join('\n');
  const candidates = await scanText(text);
  return candidates.map((candidate) => {
    const path = paths[text.slice(0, candidate.at).split('\n').length - 1] ?? '';
    return { ...candidate, path, commit: names.get(path) ?? '', line: 0 };
  });
}

function add(search: Search, found: readonly FoundSecret[]): void {
  search.found.push(...found.slice(0, MAX_FOUND - search.found.length));
}
