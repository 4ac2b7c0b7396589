import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitProgram } from '../../src/git/environment.ts';

const { PATH = '' } = process.env;
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mh-path-'));
});
afterEach(() => {
  process.env.PATH = PATH;
  rmSync(root, { recursive: true, force: true });
});

it('finds git behind folders of that name, files that are not executable and broken links', () => {
  const folders = ['folder', 'text', 'link', 'program'].map((name) => join(root, name));
  const [folder = '', text = '', link = '', program = ''] = folders.map((each) => join(each, 'git'));
  for (const each of folders) mkdirSync(each);
  mkdirSync(folder);
  writeFileSync(text, '');
  chmodSync(text, 0o600);
  symlinkSync(join(root, 'nothing'), link);
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  process.env.PATH = ['relative', ...folders].join(delimiter);
  expect(gitProgram()).toBe(program);
  rmSync(program);
  expect(gitProgram()).toBe('git');
});
