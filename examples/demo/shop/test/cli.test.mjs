import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../src/cli.mjs', import.meta.url));

function shop(...words) {
  return spawnSync(process.execPath, [CLI, ...words], { encoding: 'utf8' });
}

test('prints what is to be paid', () => {
  const { stdout, status } = shop('apple=2', 'bread');
  assert.match(stdout, /Total\s+€4\.40\n$/);
  assert.equal(status, 0);
});

test('says what is wrong with an order and fails', () => {
  const { stderr, status } = shop('piano');
  assert.match(stderr, /does not sell "piano"/);
  assert.equal(status, 1);
});
