import { promptText } from '../roles/prompt.ts';
import type { BenchTask } from './bench-task.ts';
import { DIGEST_SOURCE, digestOf } from './digest.ts';

/** Lines of the file under review; the marked ones are defects. */
const LINES: readonly (readonly [text: string, planted?: true])[] = [
  ['/** Accounts by number; amounts are whole cents. */'],
  ['const accounts = new Map();'],
  [''],
  ['export function open(number, cents = 0) {'],
  ['  if (accounts.has(number)) throw new Error("This account is taken");'],
  ['  accounts.set(number, { number, cents, log: [] });'],
  ['}'],
  [''],
  ['export function balance(number) {'],
  ['  return find(number).cents;'],
  ['}'],
  [''],
  ['/** Moves money; refuses amounts that are not positive whole cents, and accounts that would fall below zero. */'],
  ['export function transfer(from, to, cents) {'],
  ['  if (cents < 0) throw new RangeError("A transfer moves at least one cent");', true],
  ['  const source = find(from);'],
  ['  source.cents -= cents;'],
  ['  const target = find(to);', true],
  ['  if (source.cents < 0) {'],
  ['    source.cents += cents;'],
  ['    throw new Error("The account has too little");'],
  ['  }'],
  ['  target.cents += cents;'],
  ['  source.log.push({ to, cents });'],
  ['  target.log.push({ from, cents });'],
  ['}'],
  [''],
  ['/** The last entries of an account, the newest first. */'],
  ['export function recent(number, count) {'],
  ['  return find(number).log.reverse().slice(0, count);', true],
  ['}'],
  [''],
  ['function find(number) {'],
  ['  const account = accounts.get(number);'],
  ['  if (account === undefined) throw new Error("There is no such account");'],
  ['  return account;'],
  ['}'],
];

const DEFECTS = LINES.flatMap(([, isDefect], index) => (isDefect ? [digestOf(String(index + 1))] : []));

const CHECK = `${DIGEST_SOURCE}import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const wanted = ${JSON.stringify(DEFECTS)};
const found = JSON.parse(readFileSync('findings.json', 'utf8'));
assert(Array.isArray(found) && found.every(Number.isInteger), 'findings.json is a list of line numbers');
assert(found.length <= wanted.length + 1, 'too many findings');
const near = new Set(found.flatMap((line) => [line - 1, line, line + 1]).map((line) => digestOf(String(line))));
for (const digest of wanted) assert(near.has(digest), 'a defect was not found');
`;

/** Finding defects in plausible code, without false positives. */
export const review: BenchTask = {
  kind: 'review',
  title: 'Find three defects',
  prompt: promptText('bench/prompts/review', {}),
  files: { 'ledger.mjs': `${LINES.map(([text]) => text).join('\n')}\n`, 'README.md': '# Ledger\n' },
  check: CHECK,
  tokens: { input: 50_000, output: 2_500 },
  mostUsd: 1,
};
