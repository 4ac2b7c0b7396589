import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { gitVersion, isTooOld, requireGit } from '../../src/git/version.ts';
import { folder, userRepository, write } from './sandbox.ts';

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

function fakeGit(script: string): void {
  const bin = join(folder(), 'bin');
  mkdirSync(bin);
  write(bin, { git: `#!/bin/sh\n${script}\n` });
  chmodSync(join(bin, 'git'), 0o755);
  process.env.PATH = `${bin}${delimiter}${path}`;
}

test('git sees no setting of this machine and only allowed variables', async () => {
  process.env.GIT_DIR = '/somewhere/else';
  process.env.MANYHANDS_CANARY = 'secret';
  try {
    fakeGit('env');
    const { stdout } = await git(['anything'], { cwd: '/' });
    expect(stdout).not.toContain('CANARY');
    expect(stdout).not.toContain('/somewhere/else');
    expect(stdout).toContain('HOME=/nonexistent');
    expect(stdout).toContain('GIT_CONFIG_GLOBAL=/dev/null');
    expect(stdout).toContain('GIT_OPTIONAL_LOCKS=0');
  } finally {
    delete process.env.GIT_DIR;
    delete process.env.MANYHANDS_CANARY;
  }
});

test('a git that does not end in time is a timeout, not a failure of git', async () => {
  fakeGit('exec sleep 60');
  await expect(git(['fetch'], { cwd: '/', timeoutMs: 50 })).rejects.toMatchObject({ code: 'GIT_TIMEOUT' });
});

test('an abort ends the git that runs', async () => {
  fakeGit('exec sleep 60');
  const controller = new AbortController();
  const running = git(['fetch'], { cwd: '/', signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test.each([
  ['error: file write error: No space left on device', 'NO_SPACE'],
  ['fatal: cannot open: Permission denied', 'NO_PERMISSION'],
  ['fatal: something else', 'GIT_FAILED'],
])('what git says (%s) becomes %s', async (text, code) => {
  fakeGit(`echo '${text}' >&2; exit 128`);
  await expect(git(['add'], { cwd: '/' })).rejects.toMatchObject({ code });
});

test('an allowed exit code is a result', async () => {
  fakeGit('echo no; exit 1');
  expect(await git(['diff'], { cwd: '/', allow: [0, 1] })).toMatchObject({ code: 1, stdout: 'no\n' });
});

test('a git older than 2.39.4 or missing is refused', async () => {
  expect(['2.39.3', '2.9.0', '1.8', '2.39.3.windows.1'].map(isTooOld)).toEqual([true, true, true, true]);
  expect(['2.39.4', '2.39.5 (Apple Git-154)', '2.40.0', '3.0'].map(isTooOld)).toEqual([false, false, false, false]);
  expect(await requireGit()).toBe(await gitVersion());
  fakeGit('echo git version 2.30.2');
  await expect(requireGit()).rejects.toMatchObject({ code: 'GIT_TOO_OLD' });
  process.env.PATH = '/nonexistent';
  await expect(requireGit()).rejects.toMatchObject({ code: 'GIT_TOO_OLD' });
});

test('no hook and no file monitor that a repository configures is run', async () => {
  const dir = folder();
  userRepository(dir);
  const canary = join(dir, 'canary');
  write(dir, {
    '.git/hooks/post-index-change': `#!/bin/sh\ntouch ${canary}\n`,
    'monitor.sh': `#!/bin/sh\ntouch ${canary}\n`,
  });
  chmodSync(join(dir, '.git/hooks/post-index-change'), 0o755);
  chmodSync(join(dir, 'monitor.sh'), 0o755);
  await git(['config', 'core.fsmonitor', './monitor.sh'], { cwd: dir });
  await git(['add', '-A'], { cwd: dir });
  await git(['status'], { cwd: dir });
  expect(existsSync(canary)).toBe(false);
});
