import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listProcesses } from '../../src/process/list-processes.ts';
import { terminate } from '../../src/process/terminate.ts';
import { realWorld } from '../../src/world.ts';
import { geminiFixture, shell } from './gemini-fixture.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const APPEARS_MS = 80_000;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['gemini'], 'the real Gemini CLI', (path) => {
  const { perform: play } = geminiFixture(server, path('gemini'));

  describe.concurrent('that is refused', () => {
    it('a third turn of two ends by its budget', async () => {
      await using sandbox = await makeSandbox(server);
      const look = (name: string): Step => ({ call: [{ name: 'glob', args: { pattern: name } }] });
      const limits = { inactivityMs: 60_000, runtimeMs: 90_000, outputBytes: 1_000_000, turns: 2 };
      const run = await play(sandbox, { script: [look('a'), look('b'), look('c')], more: { limits } });
      expect(run.result.failure?.kind).toBe('budget');
      expect(run.result.usage).toMatchObject({ kind: 'known', inputTokens: 200 });
    });
  });

  describe.concurrent('that fails', () => {
    it('because of a loop is a failure, although it reports success', async () => {
      await using sandbox = await makeSandbox(server);
      const script = () => ({ call: [{ name: 'read_file', args: { file_path: 'none.txt' } }] });
      const run = await play(sandbox, { script });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      expect(run.result.failure?.kind).toBe('implementation');
    });

    it.each([
      ['asked to end', 5_000],
      ['killed', 0],
    ])('because it is %s leaves no child behind, and what it spent is known', async (_, graceMs) => {
      await using sandbox = await makeSandbox(server);
      const mark = join(sandbox.root, 'child-runs');
      const script = [
        shell(`node -e "require('fs').writeFileSync('${mark}', String(process.pid)); setInterval(() => {}, 1e6)"`),
      ];
      const run = await play(sandbox, {
        script,
        more: { settings: { allowedCli: ['node'] } },
        hooks: {
          onEvent: (event, target) => {
            if (event.type === 'tool-call') void appeared(mark).then(() => terminate(target, { graceMs }));
          },
        },
      });
      expect(run.result.failure?.kind).toMatch(/interrupted|crashed/);
      expect(run.result.usage).toMatchObject({ kind: 'known', inputTokens: 100, outputTokens: 20 });
      const child = Number(readFileSync(mark, 'utf8'));
      expect(listProcesses().entries.filter(({ pid, isEnded }) => pid === child && !isEnded)).toEqual([]);
    });
  });
});

async function appeared(file: string): Promise<void> {
  const deadline = realWorld.now() + APPEARS_MS;
  while (!existsSync(file) && realWorld.now() < deadline) await realWorld.sleep(20);
}
