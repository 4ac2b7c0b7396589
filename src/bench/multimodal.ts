import { promptText } from '../roles/prompt.ts';
import type { BenchTask } from './bench-task.ts';
import { DIGEST_SOURCE, digestOf } from './digest.ts';
import { digitsPicture } from './digits-picture.ts';

const SHOWN = '4071862';

/** Reading a picture. */
export const multimodal: BenchTask = {
  kind: 'multimodal',
  title: 'Read the digits in a picture',
  prompt: promptText('bench/prompts/multimodal', {}),
  files: { 'meter.png': digitsPicture(SHOWN), 'README.md': '# Meter\n' },
  check: `${DIGEST_SOURCE}import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const { digits } = JSON.parse(readFileSync('reading.json', 'utf8'));
assert.equal(digestOf(digits), '${digestOf(SHOWN)}', 'other digits');
`,
  tokens: { input: 40_000, output: 1_500 },
  mostUsd: 1,
};
