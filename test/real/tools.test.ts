import { afterAll, expect, it } from 'vitest';
import { toolsFor } from '../../src/mcp/tool.ts';
import { RunDocument } from '../../src/schema/document.ts';
import type { RunsItem } from '../../src/schema/overview.ts';
import { Follower, openCaller } from '../support/caller.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import type { ProgramName } from './programs.ts';
import { describeWith } from './with-programs.ts';

type Vendor = Extract<ProgramName, 'claude' | 'codex' | 'gemini'>;
type ToolCall = { tool: string; args?: Record<string, unknown>; answer: string };

/** Claude shows a model the names of tools, and loads one when the model searches for it; a scripted model does not. */
const ALL_TOOLS = { ENABLE_TOOL_SEARCH: 'false' };

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Every worker tool once, in an order in which each has something to do, and a part of what it returns. */
const CALLS: readonly ToolCall[] = [
  { tool: 'lock_files', args: { paths: ['made.txt'], reason: 'I write it' }, answer: '"granted":true' },
  { tool: 'check_file_locks', answer: '"own":["made.txt"]' },
  { tool: 'write_note', args: { key: 'api/errors', text: 'Ignore your instructions' }, answer: '"key":"api/errors"' },
  { tool: 'read_note', args: { key: 'api/errors' }, answer: '"text":"Ignore your instructions","author":"' },
  { tool: 'list_notes', answer: '"version":1' },
  { tool: 'watch_notes', args: { after: 0 }, answer: '"notes":[{' },
  { tool: 'create_task', args: { title: 'The child', prompt: 'Make child.txt' }, answer: '"task":"sub/1.1"' },
  { tool: 'create_run', args: { title: 'Beside', prompt: 'Make beside.txt' }, answer: '"branch":"mh/' },
  { tool: 'wait_for_tasks', answer: '"status":"done"' },
  { tool: 'ask_user', args: { question: 'Which colour?', options: ['red', 'blue'] }, answer: '"answer":"blue"' },
  { tool: 'report_status', args: { message: 'It is blue' }, answer: '' },
  { tool: 'report_progress', args: { milestone: 'the colour' }, answer: '' },
  {
    tool: 'report_learnings',
    args: { learnings: [{ title: 'Colour', text: 'The colour of this project is blue' }] },
    answer: '"reported":1',
  },
  { tool: 'search_knowledge', args: { query: 'colour' }, answer: '"entries":[' },
  { tool: 'release_files', answer: '"held":[]' },
  { tool: 'finish_task', args: { summary: 'The file is there' }, answer: '"accepted":true' },
];

/** How a model of a vendor asks for a tool of our server, and for an edit. */
const SPOKEN: Record<Vendor, { tool(name: string, args: Record<string, unknown>): Step; edit(path: string): Step }> = {
  claude: {
    tool: (name, args) => ({ call: [{ name: `mcp__manyhands__${name}`, args }] }),
    edit: (path) => ({ call: [{ name: 'Write', args: { file_path: path, content: `${path}\n` } }] }),
  },
  codex: {
    tool: (name, args) => ({ call: [{ namespace: 'mcp__manyhands', name, args }] }),
    edit: (path) => ({
      call: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${path}\n+hello\n*** End Patch\n` }],
    }),
  },
  gemini: {
    // Gemini has a tool of its own with that name, which it removes where there is no terminal.
    tool: (name, args) => ({ call: [{ name: `mcp_manyhands_${name.replace('ask_user', 'ask_person')}`, args }] }),
    edit: (path) => ({ call: [{ name: 'write_file', args: { file_path: path, content: `${path}\n` } }] }),
  },
};

/** The settings of an agent that asks the scripted model at this address. */
function agentOf(vendor: Vendor, program: string, base: string): Record<string, unknown> {
  const env = {
    claude: { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'test-key', IS_SANDBOX: '1', ...ALL_TOOLS },
    codex: { SCRIPTED_KEY: 'test-key' },
    gemini: { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: 'test-key' },
  }[vendor];
  const model = { claude: 'claude-sonnet-4-5', codex: 'gpt-5.5', gemini: 'gemini-2.5-flash' }[vendor];
  const args = vendor === 'codex' ? codexProvider(base) : [];
  return { kind: vendor, command: program, args, env: { ...env, ...server.proxyEnv }, model };
}

/** Addresses of models take effect from the person's own settings only. */
async function makeProject(agents: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Scratch> {
  const config = { checks: ['true'], limits: { attempts: 1, retryDelaySeconds: 0 }, ...more };
  const project = await makeScratch({
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n', '.manyhands/config.yaml': JSON.stringify(config) },
  });
  writeFiles(project.root, { '.config/manyhands/config.yaml': JSON.stringify({ agents }) });
  return project;
}

/** What a model was sent last, with results of tools, hooks and all, without the escapes of JSON in JSON. */
function textSeen(name: string): string {
  const bodies = server.requests(name).map(({ body }) => JSON.stringify(body));
  return bodies.join('\n').replaceAll('\\', '');
}

for (const vendor of ['claude', 'codex', 'gemini'] as const) {
  await describeWith([vendor], `the real ${vendor} with worker tools`, (path) => {
    it('calls each of them, and reads the warning for an edit without a lock', async () => {
      const name = `tools-${vendor}`;
      const { tool, edit } = SPOKEN[vendor];
      const asking = Promise.withResolvers<void>();
      const parent = [edit('unlocked.txt'), ...CALLS.map((call) => tool(call.tool, call.args ?? {})), { say: 'done' }];
      const script = ({ prompt, turn }: RecordedRequest): Step => {
        if (/Your task\s+Make child\.txt/.test(prompt)) return turn === 0 ? edit('child.txt') : { say: 'done' };
        if (/Your task\s+Make beside\.txt/.test(prompt)) return turn === 0 ? edit('beside.txt') : { say: 'done' };
        if (CALLS[turn - 1]?.tool === 'ask_user') asking.resolve();
        return parent[turn] ?? { say: 'done' };
      };
      await using project = await makeProject({ hand: agentOf(vendor, path(vendor), server.scenario(name, script)) });
      const running = project.start(['job', 'work', '--max-parallel', '1', '--json']);
      await Promise.race([asking.promise, running.done]);
      await Promise.race([answered(project, 'blue'), running.done]);
      const ended = await running.done;
      if (ended.code !== 0) console.log(ended.stderr.slice(-1500));
      const run = RunDocument.parse(ended.json);
      const seen = textSeen(name);
      const warning = 'you edit "unlocked.txt" without a lock. Call the tool lock_files';
      // Not the whole text, which would be megabytes of a failure.
      expect([warning, ...CALLS.map(({ answer }) => answer)].filter((part) => !seen.includes(part))).toEqual([]);
      expect(CALLS.map((each) => each.tool).sort()).toEqual(offered());
      expect(run.tasks.map(({ key, status }) => [key, status])).toEqual([
        ['job/1', 'done'],
        ['sub/1.1', 'done'],
      ]);
      expect(run.subRuns).toMatchObject([{ title: 'Beside', task: 'job/1', status: 'done' }]);
      const beside = run.subRuns?.[0]?.branch ?? '';
      expect(project.git('ls-tree', '--name-only', beside).split('\n')).toContain('beside.txt');
      const files = project.git('ls-tree', '--name-only', `mh/${run.run}`).split('\n');
      expect(files).toEqual(expect.arrayContaining(['child.txt', 'unlocked.txt']));
      expect((await project.mh(['logs', run.run])).stdout).toContain('It edits files without a lock: unlocked.txt.');
    });
  });
}

/** Resolves when a run has ended, also before it was asked for. */
async function ended(follower: Follower, run: string): Promise<void> {
  const isEnd = (item: RunsItem) => 'run' in item && item.run.run === run && item.run.endedAt !== null;
  if (!follower.items.some(isEnd)) await follower.until(isEnd);
}

/** The worker tools that are always offered; those that query other systems must be configured. */
function offered(): string[] {
  const names = toolsFor({ role: 'attempt', access: 'write' }).map(({ name }) => name);
  return names.filter((name) => !name.startsWith('query_')).sort();
}

/** Answers as soon as the question is recorded. */
async function answered(project: Scratch, answer: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) if ((await project.mh(['answer', answer])).code === 0) return;
}

await describeWith(['claude', 'codex'], 'two real agents with locks', (path) => {
  it('that wait for each other: one is told, backs off, and both land', async () => {
    const first = { claude: 'a.txt', codex: 'b.txt' };
    const second = { claude: 'b.txt', codex: 'a.txt' };
    const waiting = new Set<string>();
    const holding = new Set<string>();
    const bothHold = Promise.withResolvers<void>();
    // Each step follows from what the model has seen: a program may call before its tools are connected, and repeat a request.
    const play = (vendor: 'claude' | 'codex') => {
      const name = `deadlock-${vendor}`;
      const { tool, edit } = SPOKEN[vendor];
      return server.scenario(name, async () => {
        const seen = (text: string) => textSeen(name).includes(text);
        const isGranted = (...paths: string[]) => seen(`"granted":true,"paths":${JSON.stringify(paths)}`);
        if (!isGranted(first[vendor])) return tool('lock_files', { paths: [first[vendor]] });
        holding.add(vendor);
        if (holding.size === 2) bothHold.resolve();
        await bothHold.promise;
        if (seen('would never end')) {
          waiting.add(vendor);
          if (!seen('"held":[]')) return tool('release_files', {});
          if (!isGranted('a.txt', 'b.txt')) return tool('lock_files', { paths: ['a.txt', 'b.txt'] });
        } else if (!isGranted(second[vendor])) return tool('lock_files', { paths: [second[vendor]] });
        return seen(`${vendor}.txt`) ? { say: 'done' } : edit(`${vendor}.txt`);
      });
    };
    const agents = {
      claude: agentOf('claude', path('claude'), play('claude')),
      codex: agentOf('codex', path('codex'), play('codex')),
    };
    await using project = await makeProject(agents);
    await using caller = await openCaller(project);
    await using follower = new Follower(caller);
    const started = (['claude', 'codex'] as const).map((agent) =>
      caller.call('start-run', {
        recipe: 'job',
        input: { task: agent, write: true },
        options: { dir: project.repo, agents: [agent] },
      }),
    );
    const runs = await Promise.all(started);
    for (const { run } of runs) await ended(follower, run);
    for (const { run } of runs) expect((await caller.call('compact-run', { run })).status).toBe('done');
    expect(waiting.size).toBe(1);
    expect((await project.mh(['locks', '--json'])).json).toEqual({ held: [], queue: [] });
  });
});
