import { promptText } from '../roles/prompt.ts';
import type { BenchTask } from './bench-task.ts';
import { DIGEST_SOURCE, digestOf } from './digest.ts';

const ENTRIES = 3_000;
const CUSTOMER = 'C-0417';
/** The order that was shipped twice. */
const TWICE = 1_733;

type Answer = { order: string; cents: number };

/** Combining facts from distant parts of a long text. */
export const longContext: BenchTask = makeTask();

function makeTask(): BenchTask {
  const { text, answer } = writeLog();
  return {
    kind: 'long-context',
    title: 'Combine facts from distant parts of a long file',
    prompt: promptText('bench/prompts/long-context', { customer: CUSTOMER }),
    files: { 'orders.log': text, 'README.md': '# Journal of orders\n' },
    check: `${DIGEST_SOURCE}import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const { order, cents } = JSON.parse(readFileSync('answer.json', 'utf8'));
assert.equal(digestOf(order), '${digestOf(answer.order)}', 'another order');
assert.equal(digestOf(String(cents)), '${digestOf(String(answer.cents))}', 'another sum');
`,
    tokens: { input: 250_000, output: 4_000 },
    mostUsd: 2,
  };
}

/** The same journal every time: the random numbers are a fixed sequence. */
function writeLog(): { text: string; answer: Answer } {
  const lines: string[] = [];
  const answer: Answer = { order: name('O', TWICE), cents: 0 };
  let seed = 42;
  const chance = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let order = 1; order <= ENTRIES; order += 1) {
    const customer = order % 97 === 0 ? CUSTOMER : name('C', 1 + chance(400));
    lines.push(`${name('O', order)} ordered by ${customer} for ${500 + chance(9_000)} cents`);
    if (order % 7 !== 0) lines.push(`${name('O', order)} shipped`);
    if (order % 11 === 0) lines.push(`${name('O', order)} returned`, `${name('O', order)} shipped`);
    if (order === TWICE) lines.push(`${name('O', order)} shipped`);
    if (order % 97 !== 0) continue;
    const cents = 100 + chance(900);
    lines.push(`refund of ${cents} cents to ${customer} as R-${order}`);
    if (order % 2 === 0) lines.push(`refund R-${order} cancelled`);
    else answer.cents += cents;
  }
  return { text: `${lines.join('\n')}\n`, answer };
}

function name(letter: string, number: number): string {
  return `${letter}-${String(number).padStart(4, '0')}`;
}
