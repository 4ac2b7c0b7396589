import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { makeAssignment, performAttempt } from './attempt.ts';

/**
 * What an agent under test is made to do: `prompt` copies its prompt to prompt.txt, `environment` writes its variables as
 * JSON to environment.json, `says` says hello, `output` hands over { answer: 42 }, `fails` exits with 3,
 * `uses` reports $0.5 and 10 + 5 tokens, `hangs` says started and never ends.
 */
export type Behaviour = 'prompt' | 'environment' | 'says' | 'output' | 'fails' | 'uses' | 'hangs';

/** Variables that shells add by themselves. */
const OF_SHELLS = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);

const ODD_LINES = [
  '',
  'no JSON',
  '{"type":"from-the-future","x":1}',
  '{"type":"text"',
  '\u0000\ufffd',
  '['.repeat(100_000),
  '{"a":'.repeat(100_000),
];

/** What every agent promises, whatever program it drives; `make` gives one whose program behaves as asked. */
export function agentContract(name: string, make: (behaviour: Behaviour) => Promise<Agent>): void {
  describe(`${name} as an agent`, () => {
    it('is available and says where it comes from', async () => {
      const { ok, detail } = await (await make('says')).available();
      expect(ok).toBe(true);
      expect(detail).not.toBe('');
    });

    it('gives its program the prompt letter for letter', async () => {
      const prompt = '# A title\n\n$HOME `id` {{task}} {prompt} "quotes" \\ ünïcode\n';
      await using made = await makeAssignment({}, prompt);
      await performAttempt(await make('prompt'), made.assignment);
      expect(await readFile(join(made.assignment.workspace, 'prompt.txt'), 'utf8')).toBe(prompt);
    });

    it('gives its program exactly the environment of the command, with the attempt in it', async () => {
      process.env.MANYHANDS_TEST_CANARY = 'secret';
      await using made = await makeAssignment({ env: { PATH: process.env.PATH ?? '', LANG: 'C' } });
      const agent = await make('environment');
      await performAttempt(agent, made.assignment);
      const seen: Record<string, string> = JSON.parse(
        await readFile(join(made.assignment.workspace, 'environment.json'), 'utf8'),
      );
      const own = Object.fromEntries(Object.entries(seen).filter(([key]) => !OF_SHELLS.has(key)));
      expect(own).toEqual((await agent.command(made.assignment)).env);
      expect(own).toMatchObject({
        LANG: 'C',
        MANYHANDS_TASK: 'implement/1.2',
        MANYHANDS_ROLE: 'implement',
        MANYHANDS_ATTEMPT: 'abcdefgh-1-2',
        MANYHANDS_ATTEMPT_NUMBER: '2',
        MANYHANDS_RUN: 'abcdefgh',
        MANYHANDS_WORKSPACE: made.assignment.workspace,
        MANYHANDS_PROMPT_FILE: made.assignment.promptFile,
      });
      delete process.env.MANYHANDS_TEST_CANARY;
    });

    it('hands over what was said, without failure and without a bill', async () => {
      await using made = await makeAssignment();
      const { events, result } = await performAttempt(await make('says'), made.assignment);
      expect(events).toContainEqual({ type: 'text', text: 'hello' });
      expect(result).toMatchObject({ text: 'hello', usage: { kind: 'none' } });
      expect(result).not.toHaveProperty('failure');
      expect(result).not.toHaveProperty('output');
    });

    it('hands over a structured output', async () => {
      await using made = await makeAssignment();
      const { result } = await performAttempt(await make('output'), made.assignment);
      expect(result.output).toEqual({ answer: 42 });
      expect(result).not.toHaveProperty('failure');
    });

    it('reports a bad exit as a failure and hands over no output', async () => {
      await using made = await makeAssignment();
      const { result, exit } = await performAttempt(await make('fails'), made.assignment);
      expect(exit).toEqual({ kind: 'exited', code: 3 });
      expect(result.failure).toMatchObject({ kind: 'implementation', message: expect.stringContaining('3') });
      expect(result).not.toHaveProperty('output');
    });

    it('is interrupted, not done, when killed before a result', async () => {
      await using made = await makeAssignment();
      const { result, exit } = await performAttempt(await make('hangs'), made.assignment, 'started');
      expect(exit).toEqual({ kind: 'interrupted' });
      expect(result.failure?.kind).toBe('interrupted');
    });

    it('reports known usage', async () => {
      await using made = await makeAssignment();
      const { result } = await performAttempt(await make('uses'), made.assignment);
      expect(result.usage).toMatchObject({ kind: 'known', costUsd: 0.5, inputTokens: 10, outputTokens: 5 });
    });

    it('keeps every line that it does not understand and goes on', async () => {
      await using made = await makeAssignment();
      const reader = (await make('says')).reader(made.assignment);
      for (const file of ['stdout', 'stderr'] as const) {
        for (const odd of ODD_LINES) {
          const kept = reader
            .line(file, odd)
            .map((event) => (event.type === 'unknown' ? event.raw : event.type === 'text' && event.text));
          expect(kept).toEqual([odd]);
        }
      }
      expect(reader.usage()).toEqual({ kind: 'none' });
      expect(reader.end({ kind: 'interrupted' }).failure?.kind).toBe('interrupted');
    });

    it('reads the same from the beginning a second time, as after an adoption', async () => {
      await using made = await makeAssignment();
      const agent = await make('uses');
      const { lines, exit, result } = await performAttempt(agent, made.assignment);
      const again = agent.reader(made.assignment);
      for (const { file, text } of lines) again.line(file, text);
      expect(again.end(exit)).toEqual(result);
    });
  });
}
