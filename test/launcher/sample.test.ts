import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeSample } from '../../scripts/steps/sample.mjs';
import { temporaryFolder } from './installation.ts';

test('the sample is one clean commit on main, whatever the git settings of the user', () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'hooks'));
  writeFileSync(join(home, 'hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  writeFileSync(join(home, 'ignored'), '*.mjs\n');
  const settings = `[core]\n\thooksPath = ${home}/hooks\n\texcludesFile = ${home}/ignored\n[commit]\n\tgpgSign = true\n[init]\n\tdefaultBranch = trunk\n`;
  writeFileSync(join(home, '.gitconfig'), settings);
  vi.stubEnv('HOME', home);
  vi.stubEnv('GIT_DIR', join(home, 'elsewhere'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const { repository } = sample();
  vi.unstubAllEnvs();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
  expect(git('log', '--format=%an %s', 'main')).toBe('Corner Shop Open the corner shop');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('ls-files')).toContain('src/cart.mjs');
});

test('the data of the demo lies beside the sample, unless the user says where', () => {
  vi.stubEnv('MANYHANDS_HOME', '');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const first = sample();
  expect(first.env.MANYHANDS_HOME).toBe(join(first.folder, 'data'));
  vi.stubEnv('MANYHANDS_HOME', '/srv/mine');
  expect(sample().env.MANYHANDS_HOME).toBe('/srv/mine');
});

test('the tests of the sample are green, and none of them knows of the defect', () => {
  const { repository } = sample();
  execFileSync(process.execPath, ['--test'], { cwd: repository, stdio: 'pipe' });
  const bill = execFileSync(process.execPath, ['src/cli.mjs', 'apple=1', 'apple=2'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect(bill).toBe('Total €1.20\n');
});

function sample(): ReturnType<typeof makeSample> {
  const made = makeSample();
  onTestFinished(() => rmSync(made.folder, { recursive: true, force: true }));
  return made;
}
