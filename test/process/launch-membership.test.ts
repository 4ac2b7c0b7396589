import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holderMembership } from '../../src/process/launch-membership.ts';
import { SHIM_NAME } from '../../src/process/shim.ts';
import { temporaryFolder } from './launching.ts';

test.runIf(process.platform === 'linux')(
  'the launch of another user, whose data directory cannot be entered, is no reason to refuse a request',
  async () => {
    const root = temporaryFolder();
    symlinkSync('itself', join(root, 'itself'));
    const other = spawn('/bin/sh', ['-c', 'echo started; sleep 60; :', SHIM_NAME, join(root, 'itself', 'attempt')], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      await once(other.stdout, 'data');
      const ends = { address: '127.0.0.1', port: 1, remoteAddress: '127.0.0.1', remotePort: 2, isLocal: true };
      expect(holderMembership(ends, temporaryFolder())).toEqual({ kind: 'outside' });
    } finally {
      process.kill(-(other.pid ?? 0), 'SIGKILL');
    }
  },
);
