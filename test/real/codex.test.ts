import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Agent, AgentEvent, Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { codexAgent } from '../../src/agents/codex.ts';
import { errorCode } from '../../src/errors.ts';
import { type Target, terminate } from '../../src/process/terminate.ts';
import { AgentConfig } from '../../src/schema/config.ts';
import type { FailureKind } from '../../src/schema/failure.ts';
import { realWorld } from '../../src/world.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import { codexProvider } from './invocations.ts';
import type { Script, Step } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';
import { type AgentRun, makeRealAssignment, type RunHooks, runAgent } from './support.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace, type Workplace } from './workplace.ts';

const MODEL = 'gpt-5.5';
const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));
/** Its sandbox lets it write in temporary folders, where our workplaces are. */
const NO_TEMPORARY = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].flatMap((name) => [
  '-c',
  `sandbox_workspace_write.${name}=true`,
]);
/** Long enough for a start on a busy machine, short enough for a test. */
const SILENT_MS = 5_000;
const APPEARS_MS = 20_000;
const LIMITS = { inactivityMs: 60_000, runtimeMs: 60_000, outputBytes: 10_000_000 } as const;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

const shell = (cmd: string, more: object = {}): Step => ({ call: [{ name: 'exec_command', args: { cmd, ...more } }] });
const patch = (path: string): Step => ({
  call: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${path}\n+hello\n*** End Patch\n` }],
});
const commit = shell('git add -A && git commit -qm scripted');
const ofType = <Type extends AgentEvent['type']>(run: AgentRun, type: Type) =>
  run.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);

type More = Partial<Omit<Assignment, 'settings'>> & { settings?: Partial<AssignmentSettings> };
type Play = {
  script: Script;
  more?: More;
  args?: readonly string[];
  trust?: Record<string, string>;
  hooks?: RunHooks;
  prompt?: string;
  base?: string;
  idleMs?: number;
};

await describeWith(['codex'], 'the real Codex', (path) => {
  let scenarios = 0;

  const make = (args: readonly string[], trust: Record<string, string> = {}): Agent =>
    codexAgent({
      name: 'codex',
      config: AgentConfig.parse({
        kind: 'codex',
        command: path('codex'),
        args: [...NO_TEMPORARY, ...args],
        env: { SCRIPTED_KEY: 'test-key' },
      }),
      search: { dir: '/', path: '' },
      trust,
    });

  async function play(place: Workplace, { script, more = {}, prompt = 'Do the task.', hooks, ...how }: Play) {
    scenarios += 1;
    const name = `codex-${scenarios}`;
    const { settings, ...rest } = more;
    const assignment = await makeRealAssignment(place, prompt, {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, ...settings },
    });
    const base = server.scenario(name, script);
    const provider = codexProvider(how.base ?? base).map((text) => text.replace('30000', String(how.idleMs ?? 30_000)));
    const agent = make([...provider, ...(how.args ?? [])], how.trust);
    const run = await runAgent(agent, assignment, hooks);
    return { ...run, agent, assignment, requests: server.requests(name).filter(({ isAside }) => !isAside) };
  }

  it('is found, with its version and login', async () => {
    const search = { dir: '/', path: process.env.PATH ?? '' };
    await using place = await makeWorkplace(server);
    const of = (env: NodeJS.ProcessEnv) =>
      codexAgent({
        name: 'codex',
        config: AgentConfig.parse({ kind: 'codex', command: path('codex') }),
        search,
        trust: {},
        env: { HOME: place.home, ...env },
      });
    expect(await of({ CODEX_API_KEY: 'x' }).available()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/ 0\.166\.0, logged in/),
    });
    expect(await of({}).available()).toMatchObject({ ok: false, detail: expect.stringContaining('not logged in') });
  });

  it('edits a file and commits it in its sandbox, and reports each step and what it cost', async () => {
    await using place = await makeWorkplace(server);
    const last: Step = { say: 'It is committed.', usage: { in: 1_000_100, out: 100_000, cacheRead: 100_000 } };
    const script = [{ think: 'Plan it.', ...patch('a.txt') }, commit, last];
    const prompt = 'Write a.txt.\n$HOME `id` "quotes"\n';
    const run = await play(place, { script, prompt });
    expect(run.result, JSON.stringify(run.result)).not.toHaveProperty('failure');
    expect(place.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(run.requests[0]?.lastUser).toBe(prompt);
    expect(run.events).toContainEqual({ type: 'reasoning', text: 'Plan it.' });
    expect(run.events).toContainEqual({ type: 'file-change', path: 'a.txt', change: 'added' });
    expect(ofType(run, 'tool-call').map(({ name }) => name)).toEqual(['apply_patch', 'exec_command']);
    expect(ofType(run, 'usage')).toEqual([{ type: 'usage', usage: run.result.usage }]);
    expect(run.result).toMatchObject({
      text: 'It is committed.',
      session: expect.any(String),
      usage: {
        kind: 'known',
        inputTokens: 900_300,
        outputTokens: 100_040,
        cachedTokens: 100_000,
        turns: 3,
        model: MODEL,
      },
    });
    const again = run.agent.reader(run.assignment);
    for (const { file, text } of run.lines) again.line(file, text);
    expect(again.end(run.exit)).toEqual(run.result);
  });

  it('works eight at a time', async () => {
    const runs = Array.from({ length: 8 }, async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [patch('a.txt'), commit] });
      return { failure: run.result.failure, log: place.git('log', '--format=%s') };
    });
    for (const end of await Promise.all(runs)) expect(end).toEqual({ failure: undefined, log: 'scripted\nStart' });
  });

  describe.concurrent('asked for a form', () => {
    const outputSchema = {
      type: 'object',
      properties: { answer: { type: 'number' }, note: { type: 'string' } },
      required: ['answer'],
    };

    it('tells the model, and hands over output of that form', async () => {
      await using place = await makeWorkplace(server);
      const script = [{ say: 'I look.', ...shell('true') }, { say: '{"answer":42,"note":null}' }];
      const run = await play(place, { script, more: { access: 'read', outputSchema } });
      expect(run.requests[0]?.body).toMatchObject({
        text: { format: { type: 'json_schema', strict: true, schema: { required: ['answer', 'note'] } } },
      });
      expect(run.result.output).toEqual({ answer: 42 });
    });

    it('hands over none when the model never gives one', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [{ say: 'It is 42.' }], more: { outputSchema } });
      expect(run.result).not.toHaveProperty('output');
      expect(run.result).not.toHaveProperty('failure');
    });
  });

  describe.concurrent('a session', () => {
    it('goes on where it was, with the rights it had, and only what is new is paid for', async () => {
      await using place = await makeWorkplace(server);
      const first = await play(place, { script: [{ say: 'First.', usage: { in: 100_000, out: 1_000 } }] });
      const { session = '' } = first.result;
      const script = [patch('b.txt'), commit, { say: 'Second.', usage: { in: 10, out: 10 } }];
      const second = await play(place, { script, more: { number: 2, session }, prompt: 'Go on.' });
      expect(second.requests[0]).toMatchObject({ turn: 1, lastUser: 'Go on.' });
      expect(second.result).toMatchObject({ session, text: 'Second.' });
      expect(place.git('log', '--format=%s')).toBe('scripted\nStart');
      expect(first.result.usage).toMatchObject({ costUsd: expect.closeTo(0.53, 6), turns: 1 });
      expect(second.result.usage).toMatchObject({ inputTokens: 210, outputTokens: 50, turns: 3 });
    });

    it('that is not there any more costs nothing and says so', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [], more: { session: '01a1e10a-ffe3-7740-ae86-76bb2c4416ef' } });
      expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'environment' } });
      expect(run.result.failure?.message).toContain('no rollout found');
    });
  });

  describe.concurrent('its sandbox', () => {
    it('refuses what lies outside the workspace, and the work goes on', async () => {
      await using place = await makeWorkplace(server);
      const outside = join(place.root, 'outside.txt');
      const run = await play(place, {
        script: [shell(`sleep 1; echo x > ${outside}`), patch(outside), { say: 'Well.' }],
      });
      expect(ofType(run, 'tool-result')).toMatchObject([{ isError: true, output: expect.stringContaining('outside') }]);
      expect(ofType(run, 'permission-denied')).toMatchObject([{ tool: 'apply_patch' }]);
      expect(existsSync(outside)).toBe(false);
      expect(run.result).toMatchObject({ text: 'Well.' });
      expect(run.result).not.toHaveProperty('failure');
      const more: More = { number: 2, settings: { addDirs: [place.root] } };
      await play(place, { script: [shell(`echo x > ${outside}`)], more });
      expect(existsSync(outside)).toBe(true);
    });

    it('lets a reading role look at the history, and write nothing', async () => {
      await using place = await makeWorkplace(server);
      const script = [
        shell('sleep 1; git log --oneline && git diff HEAD'),
        shell('sleep 1; echo x > a.txt'),
        shell('sleep 1; git commit --allow-empty -qm bad'),
        patch('b.txt'),
      ];
      const more: More = { access: 'read', settings: { permission: 'bypass', addDirs: [place.root] } };
      const run = await play(place, { script, more });
      expect(ofType(run, 'tool-result').map(({ isError }) => isError)).toEqual([false, true, true]);
      expect(ofType(run, 'permission-denied')).toHaveLength(1);
      expect(place.git('status', '--porcelain')).toBe('');
      expect(place.git('log', '--format=%s')).toBe('Start');
    });

    it('is gone if everything is permitted', async () => {
      await using place = await makeWorkplace(server);
      const outside = join(place.root, 'outside.txt');
      await play(place, { script: [shell(`echo x > ${outside}`)], more: { settings: { permission: 'bypass' } } });
      expect(existsSync(outside)).toBe(true);
    });
  });

  describe.concurrent('servers of tools', () => {
    const call: Step = { call: [{ name: 'report_status', namespace: 'mcp__notes', args: { status: 'green' } }] };

    it('can be used, and get their secrets by another way than the arguments', async () => {
      await using place = await makeWorkplace(server);
      const seen = join(place.root, 'seen');
      const [variable, program] = [`printf %s "$TOKEN" > ${seen}`, `exec "${process.execPath}" "${MCP_SERVER}"`];
      const notes = { command: '/bin/sh', args: ['-c', `${variable}; ${program}`], env: { TOKEN: `it's "$HOME"` } };
      const run = await play(place, { script: [call], more: { settings: { mcp: { notes } } } });
      expect(ofType(run, 'tool-call')).toMatchObject([{ name: 'mcp__notes__report_status' }]);
      expect(ofType(run, 'tool-result')).toMatchObject([{ output: 'reported green', isError: false }]);
      expect(readFileSync(seen, 'utf8')).toBe(`it's "$HOME"`);
    });

    it('keep back a tool that is refused', async () => {
      await using place = await makeWorkplace(server);
      const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
      const disallowedTools = ['mcp__notes__report_status', 'web_search'];
      const run = await play(place, { script: [call, { say: 'Well.' }], more: { settings: { mcp, disallowedTools } } });
      expect(ofType(run, 'tool-result')).toEqual([]);
      expect(run.requests[0]?.tools).not.toContain('web_search');
    });
  });

  describe.concurrent('the repository', () => {
    it("speaks through the base's AGENTS.md, not through one that an agent wrote", async () => {
      await using place = await makeWorkplace(server);
      await writeFile(join(place.workspace, 'AGENTS.md'), 'Written by an agent.');
      const instructions = 'Written by "the user".\n\\ ünïcode\u007f';
      const run = await play(place, {
        script: [],
        more: { settings: { native: { 'AGENTS.md': 'Written in the base.' }, instructions, effort: 'max' } },
      });
      expect(run.requests[0]?.system).toContain(`Written in the base.\n\n${instructions}`);
      expect(JSON.stringify(run.requests[0]?.body)).not.toContain('Written by an agent.');
      expect(run.requests[0]?.body).toMatchObject({ model: MODEL, reasoning: { effort: 'xhigh' } });
    });

    it('has its hooks and servers obeyed only in the content that the user trusts', async () => {
      await using place = await makeWorkplace(server);
      const [hooked, served] = [join(place.root, 'hooked'), join(place.root, 'served')];
      const hook = { hooks: [{ type: 'command', command: `touch ${hooked}` }] };
      const files = {
        '.codex/hooks.json': JSON.stringify({ hooks: { SessionStart: [hook] } }),
        '.codex/config.toml': `[mcp_servers.evil]\ncommand = "touch"\nargs = ["${served}"]\n`,
      };
      await mkdir(join(place.workspace, '.codex'));
      for (const [name, text] of Object.entries(files)) await writeFile(join(place.workspace, name), text);
      const hash = (text: string) => createHash('sha256').update(text).digest('hex');
      const trust = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]));
      const trusted = Object.keys(files);
      const obeyed = () => [hooked, served].map((file) => existsSync(file));

      await play(place, { script: [shell('true')], args: ['--dangerously-bypass-hook-trust'] });
      const changed = { ...trust, '.codex/config.toml': hash('something else') };
      await play(place, { script: [], trust: changed, more: { number: 2, settings: { trusted } } });
      expect(obeyed()).toEqual([false, false]);
      await play(place, { script: [shell('true')], trust, more: { number: 3, settings: { trusted } } });
      expect(obeyed()).toEqual([true, true]);
    });
  });

  describe.concurrent('a fault', () => {
    const FAULTS: [string, Step, FailureKind][] = [
      ['429', { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1 } }, 'rate-limit'],
      ['503', { fault: { kind: 'refusal', reason: 'overloaded' } }, 'overloaded'],
      ['500', { fault: { kind: 'refusal', reason: 'server-error' } }, 'overloaded'],
      ['529', { fault: { kind: 'status', status: 529 } }, 'overloaded'],
      ['401', { fault: { kind: 'refusal', reason: 'auth' } }, 'auth'],
      ['403', { fault: { kind: 'refusal', reason: 'forbidden' } }, 'auth'],
      ['404', { fault: { kind: 'refusal', reason: 'model-not-found' } }, 'model-not-found'],
      ['an empty account', { fault: { kind: 'refusal', reason: 'billing' } }, 'billing'],
      ['a context too long', { fault: { kind: 'refusal', reason: 'context-full' } }, 'context-full'],
      ['headers and silence', { fault: { kind: 'stall' } }, 'network'],
      ['a cut stream', { fault: { kind: 'cut' } }, 'network'],
      ['a malformed stream', { fault: { kind: 'malformed' } }, 'network'],
      ['an empty stream', { fault: { kind: 'empty' } }, 'network'],
      ['a page of HTML', { fault: { kind: 'html' } }, 'network'],
      ['an overload in the stream', { fault: { kind: 'error-event' } }, 'overloaded'],
      ['a context too long in the stream', { fault: { kind: 'error-event', reason: 'context-full' } }, 'context-full'],
      ['an answer that is too long', { say: 'and', stop: 'max-tokens' }, 'implementation'],
    ];

    it.each(FAULTS)('is told by its class: %s', async (_, step, kind) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [step], idleMs: 1_500 });
      expect(run.exit).toEqual({ kind: 'exited', code: 1 });
      expect(run.result.failure, JSON.stringify(run.result.failure)).toMatchObject({ kind });
      expect(run).not.toHaveProperty('stopped');
    });

    it('that passes is shown as a retry and leaves no failure', async () => {
      await using place = await makeWorkplace(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(place, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known', turns: 1 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it is not free', async () => {
      await using place = await makeWorkplace(server);
      const refused = await play(place, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(place, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage).toEqual({ kind: 'unknown' });
    });

    it('of a used-up subscription names the time of its reset, today or later', async () => {
      await using place = await makeWorkplace(server);
      for (const [at, days] of [0, 3].entries()) {
        const resetAtSeconds = Math.floor(realWorld.now() / 1000) + 60 + days * 86_400;
        const fault = { kind: 'refusal', reason: 'usage-limit', resetAtSeconds } as const;
        const { result } = await play(place, { script: [{ fault }], more: { number: at + 1 } });
        expect(result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'usage-limit' } });
        const lateMs = (result.failure?.resetAt ?? 0) - resetAtSeconds * 1000;
        expect(lateMs).toBeGreaterThan(0);
        expect(lateMs).toBeLessThanOrEqual(60_000);
      }
    });

    it.each([
      ['turns', { turns: 2 }],
      ['money', { costUsd: 0.002 }],
    ])('of the budget of %s is noticed while it works', async (_, limit) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: () => shell('sleep 0.2'), more: { limits: { ...LIMITS, ...limit } } });
      expect(run.stopped).toMatchObject({ kind: 'budget' });
      expect(run.result.usage).toMatchObject({ kind: 'known' });
    });
  });

  describe.concurrent('our watchdog', () => {
    const limits = { ...LIMITS, inactivityMs: SILENT_MS };

    it('stops it when it is not answered', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [{ fault: { kind: 'silence' } }], more: { limits } });
      expect(run.stopped).toMatchObject({ kind: 'stalled' });
      expect(run.result).toMatchObject({ usage: { kind: 'unknown' }, failure: { kind: 'interrupted' } });
      expect(run.requests).toHaveLength(1);
    });

    it('stops it when nobody listens', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [], base: await closedAddress(), more: { limits } });
      expect(run.stopped?.kind ?? run.result.failure?.kind).toMatch(/^(stalled|network)$/);
    });
  });

  describe('a signal', () => {
    /** Lets a command of the agent run, signals, and tells how it ended and who is left. */
    async function signalled(place: Workplace, signal: (target: Target, marker: string) => unknown) {
      const marker = `864${String(scenarios).padStart(3, '0')}.${process.pid}`;
      let acting: Promise<unknown> = Promise.resolve();
      const onEvent = (event: AgentEvent, target: Target) => {
        const isIt = event.type === 'tool-call' && JSON.stringify(event.input).includes(marker);
        if (isIt) acting = until(() => running(marker).length > 0).then(() => signal(target, marker));
      };
      const script = [shell('true'), { ...shell(`sleep ${marker}`), usage: { in: 1_000, out: 500 } }];
      const run = await play(place, { script, hooks: { onEvent } });
      await acting;
      return { ...run, left: running(marker) };
    }
    /** Codex' wrapper and Codex itself, the children of the shim. */
    const programs = (target: Target) =>
      processes().filter(({ pid, parent }) => parent === target.identity.pid && pid !== target.identity.pid);

    it('that asks it to end interrupts it, and its children end with it', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, (target) => {
        for (const { pid, command } of programs(target))
          if (command.includes('exec --json')) process.kill(pid, 'SIGTERM');
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 143 });
      expect(run.result.failure).toMatchObject({ kind: 'interrupted' });
      expect(run.left).toEqual([]);
    });

    it('that kills its whole group leaves nobody, and what it spent is known', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, (target) => process.kill(-target.identity.pid, 'SIGKILL'));
      expect(run.exit).toEqual({ kind: 'interrupted' });
      expect(run.result).toMatchObject({
        session: expect.any(String),
        usage: { kind: 'known', inputTokens: 1_100, outputTokens: 520, turns: 2 },
        failure: { kind: 'interrupted' },
      });
      expect(run.left).toEqual([]);
      const { session = '' } = run.result;
      const script = [{ say: 'Resumed.', usage: { in: 10, out: 10 } }];
      const resumed = await play(place, { script, more: { number: 2, session }, prompt: 'Go on.' });
      expect(resumed.result).toMatchObject({
        text: 'Resumed.',
        usage: { inputTokens: 10, outputTokens: 10, turns: 1 },
      });
    });

    it('of ours to all of them is an interruption that leaves nobody', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, (target) => terminate(target, { graceMs: 2_000 }));
      expect(run.result.failure?.kind).toBe('interrupted');
      expect(run.left).toEqual([]);
    });
  });
});

type Entry = { pid: number; parent: number; command: string };

/** Its commands run in a namespace of their own, so that only we know their numbers here. */
function processes(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const [, parent = '0'] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return [{ pid: Number(pid), parent: Number(parent), command }];
      } catch (error) {
        // It has ended meanwhile.
        if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return [];
        throw error;
      }
    });
}

function running(marker: string): Entry[] {
  return processes().filter(({ command }) => command === `sleep ${marker}`);
}

/** Nothing tells us of another process's start, so it is looked for. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = realWorld.now() + APPEARS_MS;
  while (!holds()) {
    if (realWorld.now() > deadline) throw new Error('It did not happen');
    await realWorld.sleep(20);
  }
}
