import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { privateFiles } from '../../../src/process/sandbox/private-files.ts';
import { temporaryFolder } from '../launching.ts';

test('a file that became private is found at the latest after a minute', () => {
  const root = temporaryFolder();
  const file = join(root, 'key');
  writeFileSync(file, 'secret', { mode: 0o644 });
  expect(privateFiles(root, 1_000).files).toEqual([]);
  chmodSync(file, 0o600);
  expect(privateFiles(root, 60_999).files).toEqual([]);
  expect(privateFiles(root, 61_000).files).toEqual([file]);
});
