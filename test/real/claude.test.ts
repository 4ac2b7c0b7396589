import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Agent, AgentEvent, Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { claudeAgent } from '../../src/agents/claude.ts';
import { listProcesses } from '../../src/process/process-table.ts';
import { type Target, terminate } from '../../src/process/terminate.ts';
import { AgentConfig } from '../../src/schema/config.ts';
import type { FailureKind } from '../../src/schema/failure.ts';
import { realWorld } from '../../src/world.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import type { Script, Step } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';
import { type AgentRun, makeRealAssignment, type RunHooks, runAgent } from './support.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace, type Workplace } from './workplace.ts';

const MODEL = 'claude-sonnet-4-5';
const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));
const SCHEMA = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
/** Long enough for a start on a busy machine, short enough for a test. */
const SILENT_MS = 10_000;
const APPEARS_MS = 20_000;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

const bash = (command: string, more: object = {}): Step => ({
  call: [{ name: 'Bash', args: { command, description: 'Run', ...more } }],
});
const write = (place: Workplace, name: string): Step => ({
  call: [{ name: 'Write', args: { file_path: join(place.workspace, name), content: `${name}\n` } }],
});
const ofType = <Type extends AgentEvent['type']>(run: AgentRun, type: Type) =>
  run.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);

type More = Partial<Omit<Assignment, 'settings' | 'env'>> & {
  settings?: Partial<AssignmentSettings>;
  env?: Record<string, string>;
};

await describeWith(['claude'], 'the real Claude Code', (path) => {
  let scenarios = 0;

  const make = (trust: Record<string, string> = {}): Agent =>
    claudeAgent({
      name: 'claude',
      config: AgentConfig.parse({ kind: 'claude', command: path('claude') }),
      search: { dir: '/', path: '' },
      trust,
    });

  type Play = { script: Script; more?: More; trust?: Record<string, string>; hooks?: RunHooks; prompt?: string };

  async function play(place: Workplace, { script, more = {}, trust, hooks, prompt = 'Do the task.' }: Play) {
    scenarios += 1;
    const name = `claude-${scenarios}`;
    const { settings, env, ...rest } = more;
    const assignment = await makeRealAssignment(place, prompt, {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, ...settings },
      env: {
        ...place.env,
        ANTHROPIC_BASE_URL: server.scenario(name, script),
        ANTHROPIC_API_KEY: 'test-key',
        CLAUDE_CODE_MAX_RETRIES: '1',
        ...env,
      },
    });
    const run = await runAgent(make(trust), assignment, hooks);
    const requests = server.requests(name).filter(({ isAside }) => !isAside);
    return { ...run, requests, assignment };
  }

  it('is found, with its version and login', async () => {
    const agent = claudeAgent({
      name: 'claude',
      config: AgentConfig.parse({ kind: 'claude', command: path('claude'), env: { ANTHROPIC_API_KEY: 'x' } }),
      search: { dir: '/', path: process.env.PATH ?? '' },
      trust: {},
    });
    expect(await agent.available()).toMatchObject({ ok: true, detail: expect.stringMatching(/ 2\.1\.325, logged in/) });
  });

  it('edits a file and commits it, and reports each step and what it cost', async () => {
    await using place = await makeWorkplace(server);
    const last: Step = { say: 'It is committed.', usage: { in: 1234, out: 56, cacheRead: 1000, cacheWrite: 200 } };
    const script = [
      { think: 'Plan it.', ...write(place, 'a.txt') },
      bash('git add -A && git commit -qm scripted'),
      last,
    ];
    const prompt = 'Write a.txt.\n$HOME `id` "quotes"\n';
    const run = await play(place, { script, prompt });
    expect(run.result, JSON.stringify(run.result)).not.toHaveProperty('failure');
    expect(place.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(run.requests[0]?.lastUser).toContain(prompt.trim());
    expect(run.events).toContainEqual({ type: 'reasoning', text: 'Plan it.' });
    expect(run.events).toContainEqual({ type: 'file-change', path: 'a.txt', change: 'added' });
    expect(ofType(run, 'tool-call').map(({ name }) => name)).toEqual(['Write', 'Bash']);
    expect(ofType(run, 'usage')).toHaveLength(1);
    expect(run.result).toMatchObject({
      text: 'It is committed.',
      session: expect.any(String),
      usage: { kind: 'known', inputTokens: 1634, outputTokens: 96, cachedTokens: 1000, turns: 3, model: MODEL },
    });
    const again = make().reader(run.assignment);
    for (const { file, text } of run.lines) again.line(file, text);
    expect(again.end(run.exit)).toEqual(run.result);
  });

  it('is given the model, the effort and the folders that are set, and not the tools that are refused', async () => {
    await using place = await makeWorkplace(server);
    const outside = join(place.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'a.txt'), 'from outside');
    const script: Step[] = [
      { call: [{ name: 'Edit', args: { file_path: join(outside, 'a.txt'), old_string: 'from', new_string: 'seen' } }] },
    ];
    const read: Step = { call: [{ name: 'Read', args: { file_path: join(outside, 'a.txt') } }] };
    const settings = {
      model: 'claude-opus-4-5',
      effort: 'high',
      addDirs: [outside],
      disallowedTools: ['WebFetch'],
    } as const;
    const run = await play(place, { script: [read, ...script], more: { settings } });
    expect(run.result).not.toHaveProperty('failure');
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('seen outside');
    expect(run.events).toContainEqual({ type: 'file-change', path: join(outside, 'a.txt'), change: 'modified' });
    expect(run.result.usage).toMatchObject({ model: 'claude-opus-4-5' });
    expect(run.requests[0]?.model).toBe('claude-opus-4-5');
    expect(run.requests[0]?.tools).toContain('Edit');
    expect(run.requests[0]?.tools).not.toContain('WebFetch');
  });

  it('works eight at a time', async () => {
    const runs = Array.from({ length: 8 }, async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [write(place, 'a.txt'), bash('git add -A && git commit -qm scripted')] });
      return { failure: run.result.failure, log: place.git('log', '--format=%s') };
    });
    for (const end of await Promise.all(runs)) expect(end).toEqual({ failure: undefined, log: 'scripted\nStart' });
  });

  describe.concurrent('asked for a form', () => {
    it('hands over output of that form, after a correction if need be', async () => {
      await using place = await makeWorkplace(server);
      const answer = (value: unknown): Step => ({ call: [{ name: 'StructuredOutput', args: { answer: value } }] });
      const more: More = { access: 'read', outputSchema: SCHEMA };
      const run = await play(place, { script: [answer('many'), answer(42)], more });
      expect(run.result).toMatchObject({ output: { answer: 42 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('hands over none when the model never gives one', async () => {
      await using place = await makeWorkplace(server);
      const script = [{ say: 'It is 42.' }, { say: 'I said so.' }];
      const run = await play(place, { script, more: { outputSchema: SCHEMA } });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      expect(run.result).not.toHaveProperty('output');
      expect(run.result).not.toHaveProperty('failure');
    });
  });

  describe.concurrent('a session', () => {
    it('goes on where it was, and only what is new is paid for', async () => {
      await using place = await makeWorkplace(server);
      const first = await play(place, { script: [{ say: 'First.', usage: { in: 100_000, out: 1_000 } }] });
      const { session = '' } = first.result;
      const script = [{ say: 'Second.', usage: { in: 10, out: 10 } }];
      const limits = { ...first.assignment.limits, costUsd: 0.01 };
      const second = await play(place, { script, more: { number: 2, session, limits }, prompt: 'Go on.' });
      expect(second.requests[0]).toMatchObject({ turn: 1, lastUser: expect.stringContaining('Go on.') });
      expect(second.result).toMatchObject({ session, text: 'Second.' });
      expect(first.result.usage).toMatchObject({ costUsd: expect.closeTo(0.315, 6), turns: 1 });
      expect(second.result.usage).toMatchObject({ costUsd: expect.closeTo(0.00018, 8), inputTokens: 10, turns: 1 });
    });

    it('that is not there any more is a crash without a price', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [], more: { session: '11111111-2222-4333-8444-555555555555' } });
      expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'crashed' } });
      expect(run.result.failure?.message).toContain('No conversation found');
    });
  });

  describe.concurrent('permission', () => {
    it('is refused for what is not allowed, and the work goes on', async () => {
      await using place = await makeWorkplace(server);
      const command = `node -e "require('fs').writeFileSync('made.txt', '')"`;
      const run = await play(place, { script: [bash(command), { say: 'Well.' }] });
      expect(ofType(run, 'permission-denied')).toMatchObject([{ tool: 'Bash' }]);
      expect(existsSync(join(place.workspace, 'made.txt'))).toBe(false);
      expect(run.result).toMatchObject({ text: 'Well.' });
      expect(run.result).not.toHaveProperty('failure');
      const allowed = await play(place, {
        script: [bash(command)],
        more: { number: 2, settings: { allowedCli: ['node'] } },
      });
      expect(ofType(allowed, 'permission-denied')).toEqual([]);
      expect(existsSync(join(place.workspace, 'made.txt'))).toBe(true);
    });

    it('to write is not given to a reading role, that to look at the history is', async () => {
      await using place = await makeWorkplace(server);
      const edit = { file_path: join(place.workspace, 'old.txt'), old_string: 'old', new_string: 'bad' };
      await writeFile(edit.file_path, 'old');
      const script = [
        bash('git log --oneline | head -5 && git show --stat HEAD && git diff HEAD'),
        write(place, 'a.txt'),
        { call: [{ name: 'Edit', args: edit }] },
        bash('touch b.txt'),
        bash('echo x > c.txt'),
        bash('git diff --output=d.txt HEAD'),
        bash('git commit --allow-empty -qm bad'),
      ];
      const settings = { permission: 'bypass', allowedTools: ['Write', 'Bash(touch *)'], allowedCli: ['git'] } as const;
      const run = await play(place, { script, more: { access: 'read', settings } });
      expect(ofType(run, 'tool-result').map(({ isError }) => isError)).toEqual([false, ...Array(6).fill(true)]);
      expect(place.git('status', '--porcelain')).toBe('?? old.txt');
      expect(readFileSync(edit.file_path, 'utf8')).toBe('old');
      expect(place.git('log', '--format=%s')).toBe('Start');
    });

    it.skipIf(process.getuid?.() !== 0)(
      'for everything is an environment failure for root outside a sandbox',
      async () => {
        await using place = await makeWorkplace(server);
        const run = await play(place, { script: [], more: { settings: { permission: 'bypass' } } });
        expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'environment' } });
        const more: More = { number: 2, settings: { permission: 'bypass' }, env: { IS_SANDBOX: '1' } };
        const inside = await play(place, { script: [bash('echo x > x.txt')], more });
        expect(inside.result).not.toHaveProperty('failure');
        expect(existsSync(join(place.workspace, 'x.txt'))).toBe(true);
      },
    );

    it('to use our servers of tools is given with them', async () => {
      await using place = await makeWorkplace(server);
      const call = { name: 'mcp__notes__report_status', args: { status: 'green' } };
      const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
      const run = await play(place, { script: [{ call: [call] }], more: { settings: { mcp } } });
      expect(ofType(run, 'tool-result')).toMatchObject([{ output: 'reported green', isError: false }]);
    });
  });

  describe.concurrent('the repository', () => {
    it("speaks through the base's CLAUDE.md, not through one that an agent wrote", async () => {
      await using place = await makeWorkplace(server);
      await writeFile(join(place.workspace, 'CLAUDE.md'), 'Written by an agent.');
      const settings = { native: { 'CLAUDE.md': 'Written in the base.' }, instructions: 'Written by the user.' };
      const run = await play(place, { script: [], more: { settings } });
      expect(run.requests[0]?.system).toContain('Written in the base.');
      expect(run.requests[0]?.system).toContain('Written by the user.');
      expect(JSON.stringify(run.requests[0]?.body)).not.toContain('Written by an agent.');
    });

    it('has its hooks and servers obeyed only in the content that the user trusts', async () => {
      await using place = await makeWorkplace(server);
      const [hooked, served] = [join(place.root, 'hooked'), join(place.root, 'served')];
      const touch = (file: string) => ({ command: 'touch', args: [file] });
      const hook = { hooks: [{ type: 'command', command: `touch ${hooked}` }] };
      const files = {
        '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [hook] }, enableAllProjectMcpServers: true }),
        '.mcp.json': JSON.stringify({ mcpServers: { evil: touch(served) } }),
      };
      await mkdir(join(place.workspace, '.claude'));
      for (const [name, text] of Object.entries(files)) await writeFile(join(place.workspace, name), text);
      const hash = (text: string) => createHash('sha256').update(text).digest('hex');
      const trust = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]));
      const trusted = Object.keys(files);

      await play(place, { script: [] });
      const changed = { ...trust, '.claude/settings.json': hash('something else') };
      await play(place, { script: [], trust: changed, more: { number: 2, settings: { trusted } } });
      expect([hooked, served].map((file) => existsSync(file))).toEqual([false, false]);
      await play(place, { script: [], trust, more: { number: 3, settings: { trusted } } });
      expect([hooked, served].map((file) => existsSync(file))).toEqual([true, true]);
    });
  });

  describe.concurrent('a fault', () => {
    const FAULTS: [string, Step, FailureKind][] = [
      ['429', { fault: { kind: 'refusal', reason: 'rate-limit' } }, 'rate-limit'],
      ['429 for an hour', { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 3600 } }, 'rate-limit'],
      ['529', { fault: { kind: 'refusal', reason: 'overloaded' } }, 'overloaded'],
      ['500', { fault: { kind: 'refusal', reason: 'server-error' } }, 'overloaded'],
      ['401', { fault: { kind: 'refusal', reason: 'auth' } }, 'auth'],
      ['403', { fault: { kind: 'refusal', reason: 'forbidden' } }, 'auth'],
      ['404', { fault: { kind: 'refusal', reason: 'model-not-found' } }, 'model-not-found'],
      ['an empty account', { fault: { kind: 'refusal', reason: 'billing' } }, 'billing'],
      ['a context too long', { fault: { kind: 'refusal', reason: 'context-full' } }, 'context-full'],
      ['not a byte', { fault: { kind: 'silence' } }, 'network'],
      ['headers and silence', { fault: { kind: 'stall' } }, 'network'],
      ['a cut stream', { fault: { kind: 'cut' } }, 'network'],
      ['a malformed stream', { fault: { kind: 'malformed' } }, 'network'],
      ['an empty stream', { fault: { kind: 'empty' } }, 'network'],
      ['a page of HTML', { fault: { kind: 'html' } }, 'network'],
      ['an error in the stream', { fault: { kind: 'error-event' } }, 'overloaded'],
    ];
    const env = { API_TIMEOUT_MS: '1500', CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '1500' };

    it.each(FAULTS)('is told by its class: %s', async (_, step, kind) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [step], more: { env } });
      expect(run.exit).toEqual({ kind: 'exited', code: 1 });
      expect(run.result.failure, JSON.stringify(run.result.failure)).toMatchObject({ kind });
      expect(run).not.toHaveProperty('stopped');
    });

    it('is told by its class: nobody listens', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [], more: { env: { ANTHROPIC_BASE_URL: await closedAddress() } } });
      expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'network' } });
    });

    it('is told by its class: an answer that never ends', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: () => ({ say: 'and', stop: 'max-tokens' }) });
      expect(run.result).toMatchObject({ usage: { kind: 'known' }, failure: { kind: 'implementation' } });
    });

    it('that passes is shown as a retry and leaves no failure', async () => {
      await using place = await makeWorkplace(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(place, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known' } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it is not free', async () => {
      await using place = await makeWorkplace(server);
      const refused = await play(place, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(place, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage.kind).not.toBe('none');
    });

    it('of a used-up subscription names the time of its reset', async () => {
      await using place = await makeWorkplace(server);
      const resetAtSeconds = Math.floor(realWorld.now() / 1000) + 3_600;
      const fault = { kind: 'refusal', reason: 'usage-limit', resetAtSeconds } as const;
      const login = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'test-token' };
      const run = await play(place, { script: [{ fault }], more: { env: login } });
      expect(run.result.failure).toMatchObject({ kind: 'usage-limit', resetAt: resetAtSeconds * 1000 });
    });

    it.each<[string, object]>([
      ['turns', { turns: 1 }],
      ['money', { costUsd: 0.000_1 }],
    ])('of the budget of %s ends the work', async (_, limit) => {
      await using place = await makeWorkplace(server);
      const limits = { inactivityMs: 60_000, runtimeMs: 60_000, outputBytes: 10_000_000, ...limit };
      const run = await play(place, { script: () => bash('git status'), more: { limits } });
      expect(run.stopped ?? run.result.failure).toMatchObject({ kind: 'budget' });
      expect(run.result.usage).toMatchObject({ kind: 'known' });
    });
  });

  it('is stopped by our watchdog when it hangs', async () => {
    await using place = await makeWorkplace(server);
    const limits = { inactivityMs: SILENT_MS, runtimeMs: 60_000, outputBytes: 10_000_000 };
    const more: More = { limits, env: { API_TIMEOUT_MS: '600000' } };
    const run = await play(place, { script: [{ fault: { kind: 'silence' } }], more });
    expect(run.stopped).toMatchObject({ kind: 'stalled' });
    expect(run.result.failure?.kind).toBe('interrupted');
    expect(run.requests).toHaveLength(1);
  });

  describe('a signal', () => {
    /** Lets a child of the agent's shell appear, signals, and tells how it ended and whether the child is left. */
    async function signalled(place: Workplace, signal: (target: Target, child: number) => Promise<void>) {
      const file = join(place.workspace, 'child.pid');
      const script = [
        bash(`node -e "require('fs').writeFileSync('child.pid', String(process.pid)); setInterval(() => {}, 1e6)"`),
      ];
      let acting: Promise<void> = Promise.resolve();
      const onEvent = (event: AgentEvent, target: Target) => {
        if (event.type === 'tool-call')
          acting = until(() => hasText(file)).then(() => signal(target, Number(readFileSync(file, 'utf8'))));
      };
      const run = await play(place, { script, more: { settings: { allowedCli: ['node'] } }, hooks: { onEvent } });
      await acting;
      const child = Number(readFileSync(file, 'utf8'));
      const isLeft = listProcesses().some(({ pid, isEnded }) => pid === child && !isEnded);
      return { ...run, isLeft };
    }
    const hasText = (file: string) => existsSync(file) && readFileSync(file, 'utf8') !== '';
    /** The shim's child above a process. */
    const program = (target: Target, below: number): number => {
      const found = listProcesses().find(({ pid }) => pid === below);
      if (found === undefined) throw new Error('The program is not running');
      return found.parent === target.identity.pid ? below : program(target, found.parent);
    };

    it('that asks it to end interrupts it, and its children end with it', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, async (target, child) => void process.kill(program(target, child), 'SIGTERM'));
      expect(run.exit).toEqual({ kind: 'exited', code: 143 });
      expect(run.result).toMatchObject({ usage: { kind: 'unknown' }, failure: { kind: 'interrupted' } });
      expect(run.isLeft).toBe(false);
    });

    it('that kills it leaves children behind, which we end', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, async (target, child) => void process.kill(program(target, child), 'SIGKILL'));
      expect(run.exit).toEqual({ kind: 'exited', code: 137 });
      expect(run.result.failure?.kind).toBe('killed');
      expect(run.leftBehind).toBeGreaterThan(0);
      expect(run.isLeft).toBe(false);
    });

    it('of ours to all of them is an interruption that leaves nobody', async () => {
      await using place = await makeWorkplace(server);
      const run = await signalled(place, (target) => terminate(target, { graceMs: 2_000 }));
      expect(run.result.failure?.kind).toBe('interrupted');
      expect(run.isLeft).toBe(false);
    });
  });

  it('ends when a command in the background has ended, with several results of which the last counts', async () => {
    await using place = await makeWorkplace(server);
    const script = [
      bash(`node -e "setTimeout(() => {}, 1500)"`, { run_in_background: true }),
      { say: 'It runs.' },
      { say: 'It has run.', usage: { in: 50, out: 10 } },
    ];
    const run = await play(place, { script, more: { settings: { allowedCli: ['node'] } } });
    expect(ofType(run, 'result').map(({ text }) => text)).toEqual(['It runs.', 'It has run.']);
    expect(run.result).toMatchObject({ text: 'It has run.', usage: { inputTokens: 250, outputTokens: 50, turns: 3 } });
    expect(ofType(run, 'session')).toHaveLength(1);
  });
});

/** Nothing tells us of another process's files, so they are looked for. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = realWorld.now() + APPEARS_MS;
  while (!holds()) {
    if (realWorld.now() > deadline) throw new Error('It did not happen');
    await realWorld.sleep(20);
  }
}
