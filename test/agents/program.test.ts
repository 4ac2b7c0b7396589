import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOnPath, findProgram } from '../../src/agents/program.ts';

test('a folder on PATH that cannot be entered is passed over', () => {
  const root = mkdtempSync(join(tmpdir(), 'mh-program-'));
  onTestFinished(() => {
    chmodSync(join(root, 'closed'), 0o700);
    rmSync(root, { recursive: true });
  });
  for (const name of ['closed/bin', 'open']) mkdirSync(join(root, name), { recursive: true });
  for (const name of ['closed/bin/tool', 'open/tool'])
    writeFileSync(join(root, name), '#!/bin/sh\n', { mode: name === 'open/tool' ? 0o755 : 0o600 });
  // Nobody can enter a link to itself; a folder without permissions, everybody but root.
  symlinkSync('itself', join(root, 'itself'));
  chmodSync(join(root, 'closed'), 0);
  const path = ['itself', 'closed/bin', 'open'].map((name) => join(root, name)).join(':');
  const search = { dir: root, path };
  expect([findOnPath('tool', search), findProgram('tool', search)]).toEqual(
    Array(2).fill({ found: join(root, 'open', 'tool') }),
  );
  expect(findOnPath('other', search)).toEqual({ missing: 'other is not on PATH' });
});
