import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANNOUNCE_FD, spawnDetached } from '../../src/process/detached.ts';

const PROGRAM = `
const fs = require('node:fs');
console.log('to the log');
fs.writeSync(${ANNOUNCE_FD}, 'it is ready');
fs.closeSync(${ANNOUNCE_FD});
console.error(String(process.ppid !== undefined));
`;

describe('a detached program', () => {
  it('writes to its private log and sends its announcement to its starter', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mh-detached-'));
    try {
      const logFile = join(folder, 'log');
      const { announcement, pid } = await spawnDetached([process.execPath, '-e', PROGRAM], {
        cwd: folder,
        env: process.env,
        logFile,
      });
      expect(pid).toBeGreaterThan(0);
      expect(await announcement).toBe('it is ready');
      expect(await readFile(logFile, 'utf8')).toContain('to the log');
      expect((await stat(logFile)).mode & 0o777).toBe(0o600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('announces nothing when it ends without writing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mh-detached-'));
    try {
      const { announcement } = await spawnDetached(['false'], {
        cwd: folder,
        env: process.env,
        logFile: join(folder, 'log'),
      });
      expect(await announcement).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('that cannot be started is an error of the start', async () => {
    const options = { cwd: tmpdir(), env: process.env, logFile: '/dev/null' };
    await expect(spawnDetached(['/no/such/program'], options)).rejects.toThrow('ENOENT');
  });
});
