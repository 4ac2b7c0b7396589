import { setImmediate } from 'node:timers/promises';
import { constants, unzipSync } from 'node:zlib';
import { withoutNul } from '../../core/encoded-texts.ts';
import { classOfKnown } from '../../core/secret-class.ts';
import { findSecrets, type SecretCandidate } from '../../core/secret-rules.ts';
import { isAbsent } from '../../errors.ts';
import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { type Added, addedText, type History } from '../../git/read/added-text.ts';
import { openPlainHandle } from '../../process/files/plain-file.ts';

type Lint = (text: string) => Promise<SecretCandidate[]>;

/** Comments in the text must not switch anything off; addresses with a password are judged by a rule of ours. */
const LEFT_OUT = /-rule-(filter-comments|basicauth|database-connection-string)$/;

let lint: Promise<Lint> | undefined;

/** A candidate with its location; `line` 0 means the file's name, an empty path a commit's message. */
export type FoundSecret = SecretCandidate & { commit: string; path: string; line: number };

/** What was found, and what could not be read whole. */
export type Search = { found: FoundSecret[]; unread: string[] };

const CHUNK_BYTES = 128 * 1024;
const OVERLAP_CHARS = 4 * 1024;
/** How gzip and zlib begin in base64. */
const COMPRESSED = /(?<![\w+/-])(?:H4sI|eJ[wxyz]|eN[op])[\w+/-]{16,20000}(?:\r?\n[ \t]*[\w+/-]{1,200}){0,200}={0,2}/g;
const MOST_UNPACKED_BYTES = 1024 * 1024;
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
    const handle = await openPlainHandle(path);
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES, end: maxBytes - 1, signal })) {
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

/** Everything in a text that looks like a secret, each value once, in the order of the text. */
async function scanText(text: string): Promise<SecretCandidate[]> {
  if (text === '') return [];
  const plain = withoutNul(text);
  lint ??= loadLint();
  const found = [...findSecrets(plain), ...compressedSecrets(plain), ...(await (await lint)(plain))];
  const values = new Map<string, SecretCandidate>();
  for (const candidate of found) {
    const known = values.get(candidate.value);
    if (known === undefined || (known.class !== 'real' && candidate.class === 'real')) {
      values.set(candidate.value, candidate);
    }
  }
  return [...values.values()].sort((a, b) => a.at - b.at);
}

/** Secrets in small compressed texts (gzip, zlib) that are encoded in base64. */
function compressedSecrets(text: string): SecretCandidate[] {
  return [...text.matchAll(COMPRESSED)].flatMap(({ 0: value, index: at }) => {
    const unpacked = unpack(Buffer.from(value.replace(/\s/g, ''), 'base64'));
    const found = unpacked === undefined ? undefined : findSecrets(unpacked).find(({ class: kind }) => kind === 'real');
    return found === undefined ? [] : [{ rule: `${found.rule} in compressed text`, value, class: 'real' as const, at }];
  });
}

function unpack(bytes: Buffer): string | undefined {
  try {
    return unzipSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES, finishFlush: constants.Z_SYNC_FLUSH }).toString(
      'latin1',
    );
  } catch {
    // It only began like compressed data.
    return undefined;
  }
}

/** The scanner is loaded when it is first needed: most commands never do. */
async function loadLint(): Promise<Lint> {
  const [{ lintSource }, { secretLintProfiler }, preset] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/profiler'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  // It would keep three entries for each rule and each text as long as the process lives.
  secretLintProfiler.setEnabled(false);
  const rules = preset.rules.filter(({ meta }) => !LEFT_OUT.test(meta.id)).map((rule) => ({ id: rule.meta.id, rule }));
  const config = { rules };
  return async (content) => {
    const source = { content, filePath: 'text.txt', ext: '.txt', contentType: 'text' as const };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return messages.map(({ ruleId, range: [from, to], data }) => {
      const value = valueAmong(data, content.slice(from, to));
      const rule = ruleId.replace(/^.*secretlint-rule-/, '');
      return { rule, value, class: classOfKnown(value), at: Math.max(from, content.indexOf(value, from)) };
    });
  };
}

/** A rule may mark the name with the value, or cut the value short; then its message holds the exact value. */
function valueAmong(data: unknown, marked: string): string {
  if (typeof data !== 'object' || data === null) return marked;
  const texts = Object.values(data).filter((text) => typeof text === 'string');
  return texts.sort((a, b) => b.length - a.length)[0] ?? marked;
}
