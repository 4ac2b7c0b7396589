import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listProcesses } from '../../src/process/list-processes.ts';
import { run } from '../../src/process/run.ts';

const STEPS = join(import.meta.dirname, '../../scripts/steps');

describe('the runner of these tests', () => {
  it('ends a command that takes too long with all its processes, and reports it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mh-late-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const deaf = `trap '' TERM; setsid sleep 1000 & echo $! > ${folder}/child; echo $$ > ${folder}/own; wait; sleep 1000`;
    const end = await runOffline(['sh', '-c', deaf], 1_000);
    expect(end).toMatchObject({ isLate: true });
    const started = ['child', 'own'].map((name) => Number(readFileSync(join(folder, name), 'utf8')));
    expect(listProcesses().entries.filter(({ pid, isEnded }) => started.includes(pid) && !isEnded)).toEqual([]);
  });

  it('returns the exit code of a command that ends in time', async () => {
    expect(await runOffline(['sh', '-c', 'exit 3'], 60_000)).toEqual({ code: 3, isLate: false });
  });

  it('frames important messages, however long they are', async () => {
    const lines = ['NOT TESTED', `gemini: ${'a reason that goes on '.repeat(20)}`, 'x'.repeat(300)];
    const shown = await evaluate<string>('box.mjs', `boxed(${JSON.stringify(lines)})`);
    const rows = shown.trim().split('\n');
    expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
    expect(rows.length).toBeGreaterThan(7);
    expect(rows[1]).toContain('NOT TESTED');
  });
});

function runOffline(command: string[], longestMs: number) {
  return evaluate('offline.mjs', `await runOffline(${JSON.stringify(command)}, { env: process.env }, ${longestMs})`);
}

/** What an expression comes to that uses a step of the npm scripts; they are plain JavaScript without types. */
async function evaluate<Value>(step: string, expression: string): Promise<Value> {
  const name = expression.match(/\b(runOffline|boxed)\b/)?.[0] ?? '';
  const file = pathToFileURL(join(STEPS, step)).href;
  const script = `import { ${name} } from '${file}'; console.log(JSON.stringify(${expression}));`;
  const end = await run([process.execPath, '--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH ?? '' },
    timeoutMs: 60_000,
  });
  return JSON.parse(end.stdout.toString('utf8').trim().split('\n').at(-1) ?? '');
}
