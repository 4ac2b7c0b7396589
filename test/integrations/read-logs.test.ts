import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLogs } from '../../src/integrations/read-logs.ts';
import type { LogSource } from '../../src/schema/config/integrations.ts';

const folder = mkdtempSync(join(tmpdir(), 'manyhands-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const env = { PATH: process.env.PATH ?? '' };
const { signal } = new AbortController();
const read = (source: LogSource, contains?: string, maxLines = 3) =>
  readLogs(source, { request: { contains, maxLines }, env, signal });

describe('a configured log', () => {
  it('is read from the end of its files, the newest last, without what is no file', async () => {
    writeFileSync(join(folder, 'old.log'), 'one\nError: two\n');
    utimesSync(join(folder, 'old.log'), 1, 1);
    writeFileSync(join(folder, 'new.log'), `${'x'.repeat(5_000_000)}\nthree\nERROR four\nfive`);
    execFileSync('mkfifo', [join(folder, 'pipe.log')]);
    const files = [join(folder, '*.log')];
    expect(await read({ files })).toEqual({
      lines: ['new.log: three', 'new.log: ERROR four', 'new.log: five'],
      isCut: true,
    });
    expect(await read({ files }, 'error')).toEqual({
      lines: ['old.log: Error: two', 'new.log: ERROR four'],
      isCut: false,
    });
    expect(await read({ files: [join(folder, 'none-*')] })).toEqual({ lines: [], isCut: false });
  });

  it('is what its command prints, and only its end', async () => {
    const command = ['sh', '-c', 'seq 1 2000000; printf "%s" "$KEY"'];
    expect(
      await readLogs({ command, env: {} }, { request: { maxLines: 2 }, env: { ...env, KEY: 'last' }, signal }),
    ).toEqual({ lines: ['2000000', 'last'], isCut: true });
    await expect(read({ command: 'echo broken >&2; exit 3', env: {} })).rejects.toThrow('ended with 3: broken');
  });
});
