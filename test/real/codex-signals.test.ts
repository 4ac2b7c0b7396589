import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/agents/agent.ts';
import { type Target, terminate } from '../../src/process/terminate.ts';
import { until } from '../support/until.ts';
import { codexFixture, shell } from './codex-fixture.ts';
import { startModelServer } from './model-server.ts';
import { type Entry, processes } from './process-list.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { perform: play } = codexFixture(server, path('codex'));

  describe('a signal', () => {
    let markers = 0;

    /** Lets a command of the agent run, signals, and tells how it ended and who is left. */
    async function signalled(sandbox: Sandbox, signal: (target: Target, marker: string) => unknown) {
      markers += 1;
      const marker = `864${String(markers).padStart(3, '0')}.${process.pid}`;
      let acting: Promise<unknown> = Promise.resolve();
      const onEvent = (event: AgentEvent, target: Target) => {
        const isIt = event.type === 'tool-call' && JSON.stringify(event.input).includes(marker);
        if (isIt) acting = until(() => running(marker).length > 0).then(() => signal(target, marker));
      };
      const script = [shell('true'), { ...shell(`sleep ${marker}`), usage: { in: 1_000, out: 500 } }];
      const run = await play(sandbox, { script, hooks: { onEvent } });
      await acting;
      return { ...run, left: running(marker) };
    }
    /** Codex' wrapper and Codex itself, the children of the shim. */
    const programs = (target: Target) =>
      processes().filter(({ pid, parent }) => parent === target.identity.pid && pid !== target.identity.pid);

    it('to terminate interrupts it, and its children end with it', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(sandbox, (target) => {
        for (const { pid, command } of programs(target))
          if (command.includes('exec --json')) process.kill(pid, 'SIGTERM');
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 143 });
      expect(run.result.failure).toMatchObject({ kind: 'interrupted' });
      expect(run.left).toEqual([]);
    });

    it('to kill its whole group leaves none, and its usage is known', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(sandbox, (target) => process.kill(-target.identity.pid, 'SIGKILL'));
      expect(run.exit).toEqual({ kind: 'interrupted' });
      expect(run.result).toMatchObject({
        session: expect.any(String),
        usage: { kind: 'known', inputTokens: 1_100, outputTokens: 520, turns: 2 },
        failure: { kind: 'interrupted' },
      });
      expect(run.left).toEqual([]);
      const { session = '' } = run.result;
      const script = [{ say: 'Resumed.', usage: { in: 10, out: 10 } }];
      const resumed = await play(sandbox, { script, more: { number: 2, session }, prompt: 'Go on.' });
      expect(resumed.result).toMatchObject({
        text: 'Resumed.',
        usage: { inputTokens: 10, outputTokens: 10, turns: 1 },
      });
    });

    it('to all its processes is an interruption that leaves none', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(sandbox, (target) => terminate(target, { graceMs: 2_000 }));
      expect(run.result.failure?.kind).toBe('interrupted');
      expect(run.left).toEqual([]);
    });
  });
});

function running(marker: string): Entry[] {
  return processes().filter(({ command }) => command === `sleep ${marker}`);
}
