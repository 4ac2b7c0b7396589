import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../launching.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/tail-without-watches.ts', import.meta.url));
/** As if other programs of the user had taken all watches that a user may have. */
const WITHOUT = 'echo 0 >/proc/sys/user/max_inotify_watches && exec "$@"';
const UNSHARED = ['--user', '--map-root-user', 'sh', '-c', WITHOUT, 'sh'];
const isPossible = spawnSync('unshare', [...UNSHARED, 'true']).status === 0;

test.skipIf(!isPossible)('output is read also where the system has no watch left for the user', async () => {
  const args = [...UNSHARED, process.execPath, FIXTURE, temporaryFolder()];
  const { stdout } = await promisify(execFile)('unshare', args, { timeout: 60_000 });
  expect(stdout).toBe('one two three');
});
