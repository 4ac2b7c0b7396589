import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';
import { INVOCATIONS } from './invocations.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const COMMIT = 'git add -A && git commit -qm scripted';
const PROMPT = 'Write hello.txt and commit it';
const USAGE = { in: 1234, out: 56, cacheRead: 1000, reasoning: 10 };
/** Every system call that names an address. */
const CALLS = 'connect,sendto,sendmsg,sendmmsg';
const NAMES = ['claude', 'codex', 'gemini'] as const;

const EDIT_AND_COMMIT: Record<(typeof NAMES)[number], (sandbox: Sandbox) => Step[]> = {
  claude: ({ workspace }) => [
    {
      think: 'Plan it.',
      call: [{ name: 'Write', args: { file_path: join(workspace, 'hello.txt'), content: 'hello\n' } }],
    },
    { call: [{ name: 'Bash', args: { command: COMMIT, description: 'Commit' } }] },
    { say: 'It is committed.', usage: USAGE },
  ],
  codex: () => [
    {
      think: 'Plan it.',
      call: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n' }],
    },
    { call: [{ name: 'exec_command', args: { cmd: COMMIT } }] },
    { say: 'It is committed.', usage: USAGE },
  ],
  gemini: ({ workspace }) => [
    { call: [{ name: 'write_file', args: { file_path: join(workspace, 'hello.txt'), content: 'hello\n' } }] },
    { call: [{ name: 'run_shell_command', args: { command: COMMIT, description: 'Commit' } }] },
    { say: 'It is committed.', usage: USAGE },
  ],
};

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(NAMES, 'a real program on the scripted model', (path) => {
  it.each(NAMES)('%s edits a file and commits it, and asks nobody else', async (name) => {
    await using sandbox = await makeSandbox(server);
    const base = server.scenario(name, EDIT_AND_COMMIT[name](sandbox));
    const { args, env } = INVOCATIONS[name](base, sandbox, PROMPT);
    const end = await run([path(name), ...args], { cwd: sandbox.workspace, env, timeoutMs: 60_000 });
    expect(end, end.stderr).toMatchObject({ code: 0, timedOut: false });
    expect(readFileSync(join(sandbox.workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
    expect(sandbox.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(end.stdout.toString()).toContain('It is committed.');
    const worked = server.requests(name).filter(({ isAside }) => !isAside);
    expect(worked.map(({ turn }) => turn)).toEqual([0, 1, 2]);
    expect(worked[0]?.lastUser).toContain(PROMPT);
    expect(server.strays()).toEqual([]);
  });

  it.skipIf(!hasStrace()).each(NAMES)(
    '%s connects to nobody but the model, even with nothing in its way',
    async (name) => {
      await using sandbox = await makeSandbox(server);
      const base = server.scenario(`${name}-traced`, EDIT_AND_COMMIT[name](sandbox));
      const { args, env } = INVOCATIONS[name](base, sandbox, PROMPT);
      const open = Object.fromEntries(Object.entries(env).filter(([variable]) => !/_proxy$/i.test(variable)));
      const log = join(sandbox.root, 'connections');
      const traced = ['strace', '-f', '-qq', '--seccomp-bpf', '-e', `trace=${CALLS}`, '-o', log, path(name), ...args];
      const end = await run(traced, { cwd: sandbox.workspace, env: open, timeoutMs: 100_000 });
      expect(end, end.stderr).toMatchObject({ code: 0, timedOut: false });
      const addresses = readFileSync(log, 'utf8').match(/sa_family=AF_INET6?\b[^}]*/g) ?? [];
      const port = new URL(server.url).port;
      expect(new Set(addresses)).toEqual(
        new Set([`sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("127.0.0.1")`]),
      );
    },
  );
});

function hasStrace(): boolean {
  return spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
}
