import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch, writeFiles } from '../support/scratch.ts';
import { claudeEnv, codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));
const STATUS = { status: 'green' };

/** How a vendor is configured, how its model calls a shell and a tool of a server, the file of its login, and one of a session in another project. */
const VENDORS = {
  claude: {
    agent: (base: string) => ({ env: claudeEnv(base), permission: 'bypass' }),
    shell: (command: string): Step => ({ call: [{ name: 'Bash', args: { command, description: 'Work' } }] }),
    tool: { call: [{ name: 'mcp__notes__report_status', args: STATUS }] },
    login: '.claude/.credentials.json',
    sessions: '.claude/projects/-home-ann-other/0.jsonl',
  },
  codex: {
    agent: (base: string) => ({ args: codexProvider(base), env: { SCRIPTED_KEY: 'test-key' }, model: 'gpt-5.5' }),
    shell: (cmd: string): Step => ({ call: [{ name: 'exec_command', args: { cmd } }] }),
    tool: { call: [{ name: 'report_status', namespace: 'mcp__notes', args: STATUS }] },
    login: '.codex/auth.json',
    sessions: '.codex/sessions/2026/01/02/rollout-0.jsonl',
  },
  gemini: {
    agent: (base: string) => ({
      env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: base },
      model: 'gemini-2.5-flash',
      permission: 'bypass',
    }),
    shell: (command: string): Step => ({
      call: [{ name: 'run_shell_command', args: { command, description: 'Work' } }],
    }),
    tool: { call: [{ name: 'mcp_notes_report_status', args: STATUS }] },
    login: '.gemini/oauth_creds.json',
    sessions: '.gemini/tmp/other/chats/session-0.json',
  },
} as const satisfies Record<
  string,
  { agent(base: string): object; shell(command: string): Step; tool: Step; login: string; sessions: string }
>;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());
let runs = 0;

await describeWith(['claude', 'codex', 'gemini'], `a session of a real agent ${SANDBOX.title}`, (path) => {
  it.skipIf(SANDBOX.missing).each(['claude', 'codex', 'gemini'] as const)(
    'of %s uses a server of the person, is resumed with a message, and keeps what its vendor refreshes, and nothing else',
    async (kind) => {
      const { agent, shell, tool, login, sessions } = VENDORS[kind];
      runs += 1;
      const name = `session-${kind}-${runs}`;
      // Without `$(…)`, which Gemini refuses to run.
      const refresh = `printf '{"refreshed":true}' >"$HOME/${login}"; echo planted >"$HOME/${dirname(login)}/planted"`;
      const read = `grep -qs canary "$HOME/${sessions}" && echo x >read.txt`;
      /** A session that is not resumed begins again, and never writes the second file. */
      const steps = [tool, shell('echo x >first.txt'), { say: 'It is the first part.' }];
      let isResumed = false;
      const base = server.scenario(name, ({ turn }: RecordedRequest): Step => {
        const step = steps[turn] ?? (isResumed ? { say: 'Done.' } : shell(`${refresh}; ${read}; echo x >done.txt`));
        isResumed ||= turn >= steps.length;
        return step;
      });
      await using project = await makeScratch({ parent: HOMES, files: { 'README.md': '# x\n' } });
      const settings = {
        sandbox: 'require',
        agents: { it: { kind, command: path(kind), ...agent(base) } },
        mcp: { notes: { command: process.execPath, args: [MCP_SERVER] } },
        network: { allow: [new URL(base).host] },
        checks: ['test -s first.txt'],
        limits: { attempts: 1 },
      };
      writeFiles(project.root, {
        '.config/manyhands/config.yaml': JSON.stringify(settings),
        [login]: '{}',
        [sessions]: 'canary',
      });
      mkdirSync(join(project.root, '.codex'), { recursive: true });
      const env = { MANYHANDS_BWRAP: SANDBOX.program };
      const first = await project.mh(['job', 'Write files', '--agent', 'it', '--json'], { env });
      const { run, status } = RunDocument.parse(first.json);
      expect([first.code, status], first.stderr).toEqual([0, 'done']);
      const second = await project.mh(['send', run, 'job/1', 'Go on.', '--json'], { env });
      expect([second.code, RunDocument.parse(second.json).status], second.stderr).toEqual([0, 'done']);
      const names = project.git('ls-tree', '--name-only', `mh/${run}`).split('\n');
      expect(names).toEqual(expect.arrayContaining(['first.txt', 'done.txt']));
      expect(names).not.toContain('read.txt');
      expect(JSON.stringify(server.requests(name).map(({ body }) => body))).toContain('reported green');
      expect(readFileSync(join(project.root, login), 'utf8')).toBe('{"refreshed":true}');
      expect(project.git('status', '--porcelain')).toBe('');
      expect(() => readFileSync(join(project.root, login, '..', 'planted'))).toThrow();
      expect(await project.leftovers()).toEqual([]);
    },
  );
});
