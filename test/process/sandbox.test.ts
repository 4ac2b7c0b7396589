import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ending } from '../../src/process/launch.ts';
import { bubblewrapCommand, sandboxAvailability } from '../../src/process/sandbox/bubblewrap.ts';
import { toolchainFolders } from '../../src/process/sandbox/toolchains.ts';
import { runSupervised } from '../../src/process/supervised.ts';
import { terminate } from '../../src/process/terminate.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { launchIn, PATH, temporaryFolder, waitForOutput } from './launching.ts';

describe('whether there is a sandbox', () => {
  test('bubblewrap that is not installed is reported', async () => {
    const reason = 'bubblewrap (bwrap) is not installed';
    expect(await sandboxAvailability({ PATH: '/nowhere' })).toEqual({ kind: 'none', reason });
  });

  test.runIf(process.platform === 'linux')(
    'bubblewrap that may not create namespaces is reported with its reason',
    async () => {
      const program = join(temporaryFolder(), 'bwrap');
      const refusal = 'bwrap: No permissions to create a new namespace';
      writeFileSync(
        program,
        `#!/bin/sh\n[ "$1" = --version ] && exec echo bubblewrap 0.8.0\necho '${refusal}' >&2\nexit 1\n`,
      );
      chmodSync(program, 0o755);
      const reason = `bubblewrap does not work here: ${refusal}`;
      expect(await sandboxAvailability({ PATH, MANYHANDS_BWRAP: program })).toEqual({ kind: 'none', reason });
    },
  );
});

test('toolchains on PATH are shown with what is beside them, and folders with logins are not', () => {
  const home = temporaryFolder();
  for (const folder of [
    '.nvm/versions/node/v24/bin',
    '.cargo/bin',
    '.pyenv/.git',
    '.pyenv/shims',
    'bin',
    'project/.git',
    'project/bin',
  ])
    mkdirSync(join(home, folder), { recursive: true });
  const onPath = ['.nvm/versions/node/v24/bin', '.cargo/bin', '.pyenv/shims', 'bin', 'project/bin', 'missing/bin'];
  const shown = toolchainFolders({ PATH: onPath.map((folder) => join(home, folder)).join(':') }, [home]);
  for (const folder of ['.nvm', '.cargo/bin', '.pyenv', 'bin', 'project/bin'])
    expect(shown).toContain(join(home, folder));
  for (const folder of ['', '.cargo', 'project', 'missing']) expect(shown).not.toContain(join(home, folder));
});

describe.skipIf(SANDBOX.missing)(`a launched program ${SANDBOX.title}`, () => {
  const contained = (script: string, folder: string) =>
    bubblewrapCommand(
      SANDBOX.program,
      { command: ['sh', '-c', script], cwd: folder, env: { PATH, HOME: '/home/nobody' } },
      { read: [], write: [folder], hidden: [] },
    );

  test('can end by itself when it is asked to, and its exit code is its own', async () => {
    const work = temporaryFolder();
    const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
    const { go, target } = await launchIn(contained(script, work), { cwd: work });
    go();
    await waitForOutput(join(target.folder, 'stdout'), /ready/);
    await terminate(target, { graceMs: 20_000 });
    expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 7 });
    expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toContain('bye');
  });

  test('a check in it succeeds only by its own exit code, and what it leaves running ends', async () => {
    const work = temporaryFolder();
    const run = (script: string) =>
      runSupervised({
        folder: join(temporaryFolder(), 'check'),
        command: ['sh', '-c', script],
        contain: () => contained(script, work),
        cwd: work,
        env: { PATH },
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
        signal: new AbortController().signal,
      });
    const passed = await run('echo made >file; setsid sleep 300 & exit 0');
    expect([passed.isProvenSuccess, passed.leftoverProcesses]).toEqual([true, 0]);
    expect((await run('exit 3')).ending).toEqual({ kind: 'exited', code: 3 });
  });
});
