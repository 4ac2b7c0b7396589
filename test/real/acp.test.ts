import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { acpAgent } from '../../src/agents/acp.ts';
import type { Assignment } from '../../src/agents/agent.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import type { FailureKind } from '../../src/schema/failure.ts';
import { askedToStop } from '../agents/asked-to-stop.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import { type AcpProgram, SPEAKERS } from './acp-speakers.ts';
import type { Reason, Script } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeRealAssignment, runAgent } from './support.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace, type Workplace } from './workplace.ts';

const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));
const LIMITS = { inactivityMs: 90_000, runtimeMs: 100_000, outputBytes: 10_000_000 };

const server = await startModelServer();
const nowhere = await closedAddress();
afterAll(() => server[Symbol.asyncDispose]());

for (const name of ['gemini', 'claude-agent-acp', 'codex-acp', 'opencode'] as const satisfies AcpProgram[]) {
  const speaker = SPEAKERS[name];

  await describeWith([name], `the real ${name} by ACP`, (path) => {
    let scenarios = 0;

    async function prepare(place: Workplace, script: Script, more: Partial<Assignment> = {}) {
      scenarios += 1;
      const scenario = `acp-${name}-${scenarios}`;
      const base = server.scenario(scenario, script);
      await mkdir(join(place.home, '.codex'), { recursive: true });
      for (const [file, text] of Object.entries(speaker.files(base))) await writeFile(join(place.home, file), text);
      const config = { kind: 'acp', command: path(name), args: speaker.args, env: speaker.env(base, nowhere) };
      const agent = acpAgent({ name, config: AgentConfig.parse(config), search: { dir: '/', path: '' } });
      const assignment = await makeRealAssignment(place, 'Do the task.\n', { limits: LIMITS, ...more });
      const requests = () => server.requests(scenario).filter(({ isAside }) => !isAside);
      return { agent, assignment, requests };
    }

    async function play(place: Workplace, script: Script, more?: Partial<Assignment>) {
      const { agent, assignment, requests } = await prepare(place, script, more);
      const run = await runAgent(agent, assignment);
      return { ...run, requests: requests() };
    }

    describe.concurrent('at work', () => {
      it('edits a file and commits it, then goes on with its session', async () => {
        await using place = await makeWorkplace(server);
        const { write, run: command } = speaker;
        const script = [
          { say: 'I begin.', ...write(place.workspace) },
          command('git add -A && git commit -qm scripted'),
          { say: 'It is committed.' },
        ];
        const first = await play(place, script);
        expect(first.result, JSON.stringify(first.result)).not.toHaveProperty('failure');
        expect(place.git('log', '--format=%s')).toBe('scripted\nStart');
        expect(first.events).toContainEqual({ type: 'text', text: 'I begin.' });
        expect(ofType(first, 'file-change')).toEqual([expect.objectContaining({ path: 'a.txt' })]);
        expect(ofType(first, 'tool-call').length).toBeGreaterThan(0);
        expect(first.result).toMatchObject({ text: 'It is committed.', usage: { kind: 'known' } });
        const { session } = first.result;
        if (session === undefined) throw new Error('It has no session');
        await speaker.beforeResume?.(place.home);
        const second = await play(place, [{ say: 'Still here.' }], { number: 2, session });
        expect(JSON.stringify(second.requests[0]?.body)).toContain('It is committed.');
        expect(second.result).toMatchObject({ text: 'Still here.', session });
      });

      it('is refused to write in a reading task', async () => {
        await using place = await makeWorkplace(server);
        const settings = { ...PLAIN_SETTINGS, permission: 'plan' } as const;
        const script = [speaker.write(place.workspace), { say: 'I could only read.' }];
        const run = await play(place, script, { access: 'read', settings });
        expect(place.git('status', '--porcelain')).toBe('');
        expect(run.result.failure?.kind, JSON.stringify(run.result)).toBe(speaker.afterRefusal);
        if (speaker.asks) expect(ofType(run, 'permission-denied')).toHaveLength(1);
      });

      it('hands over output of a form and uses a tool of a server that it is given', async () => {
        await using place = await makeWorkplace(server);
        const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
        const script = [speaker.tool('notes', 'report_status', { status: 'well' }), { say: 'So:\n{"answer": 42}' }];
        const run = await play(place, script, {
          outputSchema: { type: 'object' },
          settings: { ...PLAIN_SETTINGS, mcp },
        });
        expect(run.result).toMatchObject({ output: { answer: 42 } });
        expect(JSON.stringify(run.requests.at(-1)?.body)).toContain('reported well');
      });

      it('is asked to stop and stops, leaving no more than it had done', async () => {
        await using place = await makeWorkplace(server);
        const { agent, assignment } = await prepare(place, [
          { fault: { kind: 'stall' }, say: 'I begin and never end.' },
        ]);
        const { result, code } = await askedToStop(agent, assignment, ({ type }) => type === 'session');
        expect(code).toBe(143);
        expect(result.failure?.kind).toBe('interrupted');
      });
    });

    describe.concurrent('that is refused', () => {
      it.each<[Reason, FailureKind[]]>(speaker.refusals)('for %s fails by a kind of %o', async (reason, kinds) => {
        await using place = await makeWorkplace(server);
        const run = await play(place, [{ fault: { kind: 'refusal', reason } }]);
        expect(kinds, JSON.stringify(run.result)).toContain(run.result.failure?.kind);
      });
    });
  });
}
