import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'fixtures', 'write-much.ts');
const MEGABYTE = 1024 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mh-output-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the output of a command', () => {
  it('is written completely to a pipe that is non-blocking and whose reader is slow', async () => {
    const child = spawn(process.execPath, [PROGRAM, String(MEGABYTE), 'non-blocking'], { stdio: 'pipe' });
    // Nothing is read before the program has passed on all that it writes.
    const [message] = await once(child.stderr, 'data');
    expect(String(message)).toBe('written, terminal: false\n');
    expect(await text(child.stdout)).toHaveLength(MEGABYTE);
  });

  it('is written completely to a file, and to the null device', async () => {
    for (const [path, length] of [
      [join(folder, 'output'), MEGABYTE],
      ['/dev/null', 0],
    ] as const) {
      const file = openSync(path, 'w');
      const { stderr } = spawn(process.execPath, [PROGRAM, String(MEGABYTE)], { stdio: ['ignore', file, 'pipe'] });
      closeSync(file);
      expect(stderr && (await text(stderr))).toBe('written, terminal: false\n');
      expect(readFileSync(path)).toHaveLength(length);
    }
  });

  it('has an error where its reader has closed it', async () => {
    const child = spawn(process.execPath, [PROGRAM, String(MEGABYTE)], { stdio: 'pipe' });
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe('error: EPIPE: broken pipe, write\nwritten, terminal: false\n');
  });
});
