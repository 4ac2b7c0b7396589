import { expect, it } from 'vitest';
import { listProcesses } from '../../src/process/list-processes.ts';
import { type StreamEnd, stream } from '../../src/process/stream.ts';

const env = { PATH: process.env.PATH ?? '' };

async function read(script: string, options: { timeoutMs?: number; input?: string; signal?: AbortSignal } = {}) {
  const output = stream(['sh', '-c', script], { env, timeoutMs: 30_000, ...options });
  let text = '';
  for (;;) {
    const next = await output.next();
    if (next.done) return { text, end: next.value };
    text += next.value.toString('utf8');
  }
}

it('yields all output, whatever its size, and returns how the program ended', async () => {
  const { text, end } = await read('head -c 3000000 /dev/zero | tr "\\0" a; echo why >&2; exit 3');
  expect(text).toHaveLength(3_000_000);
  expect(end).toEqual<StreamEnd>({ code: 3, stderr: 'why\n', timedOut: false });
});

it('passes input to the program', async () => {
  expect((await read('tr a-z A-Z', { input: 'said' })).text).toBe('SAID');
  expect((await read('exit 0', { input: 'x'.repeat(1_000_000) })).end.code).toBe(0);
});

it('ends the program and its children when reading stops, at the time limit, and on abort', async () => {
  let group = 0;
  for await (const chunk of stream(['sh', '-c', 'echo $$; sleep 600 & wait'], { env, timeoutMs: 30_000 })) {
    group = Number(chunk.toString('utf8'));
    expect(isAlive(group)).toBe(true);
    break;
  }
  await expect.poll(() => isAlive(group)).toBe(false);
  expect((await read('sleep 600', { timeoutMs: 50 })).end).toMatchObject({ code: 137, timedOut: true });
  await expect(read('sleep 600', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
});

it("throws the system's error for a missing program", async () => {
  const output = stream(['/nowhere/program'], { env, timeoutMs: 1_000 });
  await expect(output.next()).rejects.toMatchObject({ code: 'ENOENT' });
});

/** Whether a process of the group runs; where the first process of a container reaps no others, they stay as zombies. */
function isAlive(group: number): boolean {
  return listProcesses().entries.some((each) => each.group === group && !each.isEnded);
}
