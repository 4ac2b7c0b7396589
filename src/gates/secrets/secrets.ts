import { createHash } from 'node:crypto';
import type { SecretClass } from '../../core/secret-class.ts';
import { AppError } from '../../errors.ts';
import { readRefs } from '../../git/refs/refs.ts';
import type { GateSpec, Verdict } from '../../schema/gate.ts';
import { realWorld } from '../../world.ts';
import { type AttemptWork, type Gate, type GateResult, noWork } from '../gate.ts';
import { shownPath } from '../shown-path.ts';
import { type FoundSecret, knownIn, type Search, searchFile, searchHistory } from './secret-search.ts';

const SHOWN_CHARS = 4;

const FINGERPRINT_CHARS = 16;

type SecretsSpec = Extract<GateSpec, { gate: 'secrets' }>;
type Findings = {
  /** Secrets that would land. */
  landing: FoundSecret[];
  /** Secrets in commits that were amended, reset or left on another branch. */
  leftBehind: FoundSecret[];
  counts: Map<SecretClass, number>;
  exposed: number;
  unread: string[];
};

/** Most that is read of what lands (beyond it a person decides), of what was left behind, and of each file of output. */
const MAX_LANDING_CHARS = 256_000_000;
const MAX_LEFT_CHARS = 16_000_000;
const MAX_OUTPUT_BYTES = 32_000_000;
const SHOWN = 20;
const OTHERS: readonly (readonly [SecretClass, string])[] = [
  ['placeholder', 'placeholder'],
  ['key-name', 'name of a key'],
  ['identifier', 'identifier'],
  ['unknown', 'unknown'],
];

/**
 * Fails when a commit of the work brings in a text that is a secret by all that can be seen: in a file, a file's name or
 * a message, also if a later commit takes it out again, because the history lands with the work. Secrets in the output
 * of the attempt and in commits that do not land are reported, and stop nothing.
 */
export const secretsGate: Gate<SecretsSpec> = {
  name: 'secrets',
  async check(spec, input) {
    input.signal.throwIfAborted();
    if (input.work === undefined) return noWork();
    const startedAt = realWorld.now();
    const findings = await search(input.work, new Set(spec.allow), input.signal);
    input.signal.throwIfAborted();
    return { ...judge(findings, input.work.base), durationMs: Math.max(0, realWorld.now() - startedAt) };
  },
};

async function search(work: AttemptWork, allowed: ReadonlySet<string>, signal: AbortSignal): Promise<Findings> {
  const { mirror, base, commit } = work;
  const landing = await searchHistory(mirror, { from: [base], to: [commit], maxChars: MAX_LANDING_CHARS }, signal);
  const left = await searchLeftBehind(work, signal);
  const output = new Set<string>();
  for (const file of [work.stdout, work.stderr].filter((each) => each !== undefined))
    for (const value of await searchFile(file, MAX_OUTPUT_BYTES, signal)) output.add(value);
  const real = [...landing.found, ...left.found].filter((found) => found.class === 'real');
  const known = await knownIn(mirror, base, [...new Set(real.map(({ value }) => value))]);
  const isNew = ({ class: kind, value }: FoundSecret) =>
    kind === 'real' && !known.has(value) && !allowed.has(fingerprintOf(value));
  return {
    landing: landing.found.filter(isNew),
    leftBehind: left.found.filter(isNew),
    counts: countClasses(landing.found),
    exposed: [...output].filter((value) => !allowed.has(fingerprintOf(value))).length,
    unread: landing.unread,
  };
}

/** What was left behind may be damaged or no commit at all; since it does not land, what cannot be read of it stops nothing. */
async function searchLeftBehind({ mirror, base, commit, kept }: AttemptWork, signal: AbortSignal): Promise<Search> {
  const to = [...new Set((await readRefs(mirror.dir, kept)).values())];
  try {
    return await searchHistory(mirror, { from: [base, commit], to, maxChars: MAX_LEFT_CHARS }, signal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'GIT_FAILED') return { found: [], unread: [] };
    throw error;
  }
}

function judge(findings: Findings, base: string): Omit<GateResult, 'durationMs'> {
  const { landing, leftBehind, exposed, unread } = findings;
  const verdict: Verdict = landing.length > 0 ? 'fail' : unread.length > 0 ? 'held' : 'pass';
  const values = [...landing, ...leftBehind].map(({ value }) => value);
  const lines = [
    ...list('Secrets that would land', landing),
    ...(landing.length > 0 ? [howToContinue(base)] : []),
    ...list('Secrets in commits that do not land', leftBehind),
    ...(exposed > 0 ? [`Secrets in its output: ${exposed}. Whoever can read the output can read them.`] : []),
    ...(unread.length > 0 ? [`Not read: ${unread.slice(0, SHOWN).map(shownPath).join(', ')}`] : []),
    ...others(findings.counts),
  ];
  return {
    verdict,
    summary: hide(summaryOf(findings), values),
    exitCode: null,
    setup: '',
    ...(lines.length === 0 ? {} : { output: hide(lines.join('\n'), values) }),
    exposed: exposed + new Set(leftBehind.map(({ value }) => value)).size,
  };
}

function summaryOf({ landing, leftBehind, exposed, unread }: Findings): string {
  const first = landing[0];
  if (first !== undefined) {
    const more = new Set(landing.map(({ value }) => value)).size - 1;
    return `A secret (${first.rule}) is in ${locationOf(first)}${more === 0 ? '' : ` and ${more} more elsewhere`}`;
  }
  if (unread.length > 0) return `Not everything could be read: ${unread.slice(0, 3).map(shownPath).join(', ')}`;
  const apart = [
    ...(leftBehind.length > 0 ? [`${leftBehind.length} in commits that do not land`] : []),
    ...(exposed > 0 ? [`${exposed} in its output`] : []),
  ];
  return apart.length === 0 ? 'No secret found' : `No secret in what lands; ${apart.join(', ')}`;
}

function list(title: string, found: readonly FoundSecret[]): string[] {
  if (found.length === 0) return [];
  const locations = new Map(found.map((secret) => [`${secret.value} ${locationOf(secret)}`, secret]));
  const lines = [...locations.values()].slice(0, SHOWN).map((secret) => {
    const { rule, value, commit } = secret;
    const where = `${locationOf(secret)} (commit ${commit.slice(0, 12)})`;
    return `- ${rule} in ${where}: ${maskedValue(value)}, fingerprint ${fingerprintOf(value)}`;
  });
  const rest = locations.size - lines.length;
  return [`${title}:`, ...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function locationOf({ path, line }: FoundSecret): string {
  if (path === '') return 'a commit message';
  return line === 0 ? `the name of ${shownPath(path)}` : `${shownPath(path)}:${line}`;
}

function howToContinue(base: string): string {
  return [
    'To take a secret out of a commit, make the commits again without it:',
    `git reset --soft ${base}, remove the secret, and commit again. Read it from the environment instead.`,
    'If it is no secret, a person can allow its fingerprint under secrets.allow in the settings.',
  ].join('\n');
}

function others(counts: ReadonlyMap<SecretClass, number>): string[] {
  const of = (kind: SecretClass) => counts.get(kind) ?? 0;
  const found = OTHERS.filter(([kind]) => of(kind) > 0).map(([kind, what]) => `${what}: ${of(kind)}`);
  return found.length === 0 ? [] : [`Also found, but no secret: ${found.join(', ')}`];
}

function countClasses(found: readonly FoundSecret[]): Map<SecretClass, number> {
  const counts = new Map<SecretClass, number>();
  for (const { class: kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** A file may be named for the secret that it holds. */
function hide(text: string, values: readonly string[]): string {
  return [...new Set(values)].reduce((shown, value) => shown.replaceAll(value, '****'), text);
}

/** Identifies a value without revealing it: the same value always has the same fingerprint. */
function fingerprintOf(value: string): string {
  return createHash('sha256').update(value, 'latin1').digest('hex').slice(0, FINGERPRINT_CHARS);
}

/** Enough of a value to find it by, never enough to use it. */
function maskedValue(value: string): string {
  const shown = value.length >= 5 * SHOWN_CHARS ? value.slice(0, SHOWN_CHARS).replace(/[^\x21-\x7e]/g, '?') : '';
  return `${shown}**** (${value.length} characters)`;
}
