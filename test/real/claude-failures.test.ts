import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/agents/agent.ts';
import { listProcesses } from '../../src/process/list-processes.ts';
import { type Target, terminate } from '../../src/process/terminate.ts';
import { realWorld } from '../../src/world.ts';
import { until } from '../support/until.ts';
import { bash, claudeFixture } from './claude-fixture.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the real Claude Code', (path) => {
  const { perform: play } = claudeFixture(server, path('claude'));

  describe.concurrent('a fault', () => {
    it('that is temporary is reported as a retry and causes no failure', async () => {
      await using sandbox = await makeSandbox(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(sandbox, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known' } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it has a cost', async () => {
      await using sandbox = await makeSandbox(server);
      const refused = await play(sandbox, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(sandbox, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage.kind).not.toBe('none');
    });

    it('of an exhausted subscription reports its reset time', async () => {
      await using sandbox = await makeSandbox(server);
      const resetAtSeconds = Math.floor(realWorld.now() / 1000) + 3_600;
      const fault = { kind: 'refusal', reason: 'usage-limit', resetAtSeconds } as const;
      const login = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'test-token' };
      const run = await play(sandbox, { script: [{ fault }], more: { env: login } });
      expect(run.result.failure).toMatchObject({ kind: 'usage-limit', resetAt: resetAtSeconds * 1000 });
    });

    it.each<[string, object]>([
      ['turns', { turns: 1 }],
      ['money', { costUsd: 0.000_1 }],
    ])('of the budget of %s ends the work', async (_, limit) => {
      await using sandbox = await makeSandbox(server);
      const limits = { inactivityMs: 60_000, runtimeMs: 60_000, outputBytes: 10_000_000, ...limit };
      const run = await play(sandbox, { script: () => bash('git status'), more: { limits } });
      expect(run.stopped ?? run.result.failure).toMatchObject({ kind: 'budget' });
      expect(run.result.usage).toMatchObject({ kind: 'known' });
    });
  });

  describe('a signal', () => {
    /** Lets a child of the agent's shell appear, signals, and tells how it ended and whether the child is left. */
    async function signalled(sandbox: Sandbox, signal: (target: Target, child: number) => Promise<void>) {
      const file = join(sandbox.workspace, 'child.pid');
      const script = [
        bash(`node -e "require('fs').writeFileSync('child.pid', String(process.pid)); setInterval(() => {}, 1e6)"`),
      ];
      let acting: Promise<void> = Promise.resolve();
      const onEvent = (event: AgentEvent, target: Target) => {
        if (event.type === 'tool-call')
          acting = until(() => hasText(file)).then(() => signal(target, Number(readFileSync(file, 'utf8'))));
      };
      const run = await play(sandbox, { script, more: { settings: { allowedCli: ['node'] } }, hooks: { onEvent } });
      await acting;
      const child = Number(readFileSync(file, 'utf8'));
      const isRunning = listProcesses().entries.some(({ pid, isEnded }) => pid === child && !isEnded);
      return { ...run, isRunning };
    }
    const hasText = (file: string) => existsSync(file) && readFileSync(file, 'utf8') !== '';
    /** The shim's child above a process. */
    const program = (target: Target, below: number): number => {
      const found = listProcesses().entries.find(({ pid }) => pid === below);
      if (found === undefined) throw new Error('The program is not running');
      return found.parent === target.identity.pid ? below : program(target, found.parent);
    };

    it('to terminate interrupts it, and its children end with it', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(
        sandbox,
        async (target, child) => void process.kill(program(target, child), 'SIGTERM'),
      );
      expect(run.exit).toEqual({ kind: 'exited', code: 143 });
      expect(run.result).toMatchObject({ usage: { kind: 'known' }, failure: { kind: 'interrupted' } });
      expect(run.isRunning).toBe(false);
    });

    it('to kill it leaves children behind, which we end', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(
        sandbox,
        async (target, child) => void process.kill(program(target, child), 'SIGKILL'),
      );
      expect(run.exit).toEqual({ kind: 'exited', code: 137 });
      expect(run.result.failure?.kind).toBe('killed');
      expect(run.leftBehind).toBeGreaterThan(0);
      expect(run.isRunning).toBe(false);
    });

    it('to all its processes is an interruption that leaves none', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await signalled(sandbox, (target) => terminate(target, { graceMs: 2_000 }));
      expect(run.result.failure?.kind).toBe('interrupted');
      expect(run.isRunning).toBe(false);
    });
  });
});
