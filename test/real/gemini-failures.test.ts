import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listProcesses } from '../../src/process/process-table.ts';
import { terminate } from '../../src/process/terminate.ts';
import type { FailureKind } from '../../src/schema/failure.ts';
import { realWorld } from '../../src/world.ts';
import { geminiStage, shell } from './gemini-stage.ts';
import type { Fault, Step } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace } from './workplace.ts';

const APPEARS_MS = 20_000;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['gemini'], 'the real Gemini CLI', (path) => {
  const { play } = geminiStage(server, path('gemini'));

  describe.concurrent('that is refused', () => {
    const refused = (reason: Extract<Fault, { kind: 'refusal' }>['reason']): Fault => ({ kind: 'refusal', reason });

    it.each<[string, Fault, FailureKind]>([
      ['too many requests', refused('rate-limit'), 'rate-limit'],
      ['a quota of a day', refused('usage-limit'), 'usage-limit'],
      ['an overloaded model', refused('overloaded'), 'overloaded'],
      ['an error of the server', refused('server-error'), 'overloaded'],
      ['a status of 529', { kind: 'status', status: 529 }, 'overloaded'],
      ['a wrong key', refused('auth'), 'auth'],
      ['a key without rights', refused('forbidden'), 'auth'],
      ['an unknown model', refused('model-not-found'), 'model-not-found'],
      ['no billing', refused('billing'), 'billing'],
      ['a prompt that is too long', refused('context-full'), 'context-full'],
    ])('with %s fails by its kind and costs nothing', async (_, fault, kind) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [{ fault }] });
      expect(run.result.failure, JSON.stringify(run.result)).toMatchObject({ kind });
      expect(run.result.usage).toEqual({ kind: 'none' });
    });

    it.each<['cut' | 'malformed' | 'empty' | 'html' | 'error-event', FailureKind]>([
      ['cut', 'network'],
      ['malformed', 'network'],
      ['empty', 'network'],
      ['html', 'network'],
      ['error-event', 'overloaded'],
    ])('by an answer that is %s fails as %s', async (fault, kind) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [{ say: 'A longer text than one piece.', fault: { kind: fault } }] });
      expect(run.result.failure, JSON.stringify(run.result)).toMatchObject({ kind });
    });

    it('because nobody listens fails as network and costs nothing', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { base: await closedAddress() });
      expect(run.result).toMatchObject({ failure: { kind: 'network' }, usage: { kind: 'none' } });
    });

    it('a third turn of two ends by its budget', async () => {
      await using place = await makeWorkplace(server);
      const look = (name: string): Step => ({ call: [{ name: 'glob', args: { pattern: name } }] });
      const limits = { inactivityMs: 60_000, runtimeMs: 90_000, outputBytes: 1_000_000, turns: 2 };
      const run = await play(place, { script: [look('a'), look('b'), look('c')], more: { limits } });
      expect(run.result.failure?.kind).toBe('budget');
      expect(run.result.usage).toMatchObject({ kind: 'known', inputTokens: 200 });
    });
  });

  describe.concurrent('that does not end well', () => {
    it('because it goes in circles is a failure, though it says success', async () => {
      await using place = await makeWorkplace(server);
      const script = () => ({ call: [{ name: 'read_file', args: { file_path: 'none.txt' } }] });
      const run = await play(place, { script });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      expect(run.result.failure?.kind).toBe('implementation');
    });

    it('because its model is silent is stopped by our watchdog', async () => {
      await using place = await makeWorkplace(server);
      const limits = { inactivityMs: 15_000, runtimeMs: 60_000, outputBytes: 1_000_000 };
      const run = await play(place, { script: [{ fault: { kind: 'stall' } }], more: { limits } });
      expect(run.stopped?.kind).toBe('stalled');
      expect(run.result).toMatchObject({ usage: { kind: 'unknown' }, failure: expect.anything() });
    });

    it.each([
      ['asked to end', 5_000],
      ['killed', 0],
    ])('because it is %s leaves no child behind, and what it spent is known', async (_, graceMs) => {
      await using place = await makeWorkplace(server);
      const mark = join(place.root, 'child-runs');
      const script = [
        shell(`node -e "require('fs').writeFileSync('${mark}', String(process.pid)); setInterval(() => {}, 1e6)"`),
      ];
      const run = await play(place, {
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
      expect(listProcesses().filter(({ pid, isEnded }) => pid === child && !isEnded)).toEqual([]);
    });
  });
});

async function appeared(file: string): Promise<void> {
  const deadline = realWorld.now() + APPEARS_MS;
  while (!existsSync(file) && realWorld.now() < deadline) await realWorld.sleep(20);
}
