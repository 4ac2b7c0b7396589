import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { UsageRow } from '../../src/schema/usage.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { type AcpProgram, SPEAKERS } from './acp-speakers.ts';
import { bash } from './claude-fixture.ts';
import { shell as shellOfCodex } from './codex-fixture.ts';
import { shell as shellOfGemini } from './gemini-fixture.ts';
import { claudeEnv, codexProvider, geminiEnv } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { processes } from './process-list.ts';
import type { ProgramName } from './programs.ts';
import { geminiSettings, HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const HANG = 'node -e "setInterval(() => {}, 1e6)" hang';
const FINISH = 'Finish now, please.';
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** How a program is configured as an agent, and its step that runs a command. */
type Subject = {
  program: ProgramName;
  agent(base: string, path: string): object;
  files(base: string): Record<string, string>;
  run(command: string): Step;
  /** It reports a call only when the tools of it have ended, so that it is interrupted while it waits for its model. */
  reportsAfterTools?: true;
  /** The files below the home in which it records its calls, a moment after it has started their tools. */
  records?: string;
};

const acp = (program: AcpProgram, more: Pick<Subject, 'reportsAfterTools' | 'records'> = {}): Subject => {
  const speaker = SPEAKERS[program];
  const serving = (base: string) => ({ base, retries: 0, waitMs: 60_000 });
  return {
    program,
    agent: (base, path) => ({
      kind: 'acp',
      command: path,
      args: speaker.args,
      env: { ...speaker.env(serving(base)), ...server.proxyEnv },
    }),
    files: (base) => speaker.files(serving(base)),
    run: speaker.run,
    ...more,
  };
};

const SUBJECTS: Record<string, Subject> = {
  claude: {
    program: 'claude',
    agent: (base, path) => ({
      kind: 'claude',
      command: path,
      model: 'claude-sonnet-4-5',
      env: { ...claudeEnv(base), ...server.proxyEnv },
    }),
    files: () => ({}),
    run: bash,
  },
  codex: {
    program: 'codex',
    agent: (base, path) => ({
      kind: 'codex',
      command: path,
      args: codexProvider(base),
      model: 'gpt-5.5',
      env: { SCRIPTED_KEY: 'test-key', ...server.proxyEnv },
    }),
    files: () => ({}),
    run: shellOfCodex,
  },
  gemini: {
    program: 'gemini',
    agent: (base, path) => ({
      kind: 'gemini',
      command: path,
      model: 'gemini-2.5-flash',
      env: { ...geminiEnv(base), ...server.proxyEnv },
    }),
    files: () => ({ '.gemini/settings.json': JSON.stringify(geminiSettings(1)) }),
    run: shellOfGemini,
  },
  'claude-agent-acp': acp('claude-agent-acp', { records: '.claude/projects/*/*.jsonl' }),
  'codex-acp': acp('codex-acp'),
  'gemini as an ACP agent': acp('gemini'),
  opencode: acp('opencode', { reportsAfterTools: true }),
};

/** A command that ends, then one that does not; after a message, or when it is to finish, an answer. */
function script({ run, reportsAfterTools }: Subject, control: { isFinishing: boolean }) {
  return ({ prompt, turn }: RecordedRequest): Step => {
    if (control.isFinishing || prompt.includes(FINISH))
      return { say: 'Finished.', usage: { in: 700, out: 70, cacheRead: 7 } };
    if (turn === 0) return { ...run('true'), usage: { in: 1_000, out: 100 } };
    if (reportsAfterTools !== true) return { ...run(HANG), usage: { in: 2_000, out: 200, cacheRead: 20 } };
    return turn === 1 ? { ...run('true'), usage: { in: 2_000, out: 200 } } : { fault: { kind: 'silence' } };
  };
}

let tries = 0;

for (const [title, subject] of Object.entries(SUBJECTS)) {
  await describeWith([subject.program], title, (path) => {
    it('is billed to the token, also after a message, a cancellation and a kill', async () => {
      tries += 1;
      const name = `usage-${title.replaceAll(' ', '-')}-${tries}`;
      const control = { isFinishing: false };
      const base = server.scenario(name, script(subject, control));
      // Addresses of models take effect from the person's own settings only.
      const own = { agents: { one: subject.agent(base, path(subject.program)) } };
      const config = {
        tools: { allowedCli: ['node', 'true'] },
        checks: ['true'],
        limits: { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 },
      };
      await using project = await makeScratch({
        parent: HOMES,
        files: { '.manyhands/config.yaml': JSON.stringify(config) },
      });
      writeFiles(project.root, { '.config/manyhands/config.yaml': JSON.stringify(own), ...subject.files(base) });
      const recorded = () =>
        globSync(subject.records ?? [], { cwd: project.root }).filter((file) =>
          readFileSync(join(project.root, file), 'utf8').includes('setInterval'),
        );
      let earlier: string[] = [];
      // A resumed session may have a file of its own, so the number of files says nothing.
      const isRecorded = () => subject.records === undefined || recorded().some((file) => !earlier.includes(file));
      const isReached = () =>
        subject.reportsAfterTools === true
          ? server.requests(name).filter(({ turn, prompt }) => turn === 2 && !prompt.includes(FINISH)).length === cases
          : project.alive().some(({ command }) => /^\S*node -e .* hang$/.test(command)) && isRecorded();
      let cases = 0;
      const begin = async (task: string) => {
        cases += 1;
        earlier = recorded();
        const running = project.start(['job', task, '--json'], { env: { IS_SANDBOX: '1' } });
        await Promise.race([until(isReached), running.done.then(({ stdout, stderr }) => expect.fail(stdout + stderr))]);
        return running;
      };

      const messaged = await begin('Do the first task');
      const sent = await project.mh(['send', FINISH]);
      expect(sent.code, sent.stderr).toBe(0);
      await messaged.done;
      await expectBilled(project, name);

      const cancelled = await begin('Do the second task');
      await project.mh(['cancel']);
      await cancelled.done;
      await expectBilled(project, name);

      const killed = await begin('Do the third task');
      control.isFinishing = true;
      killAgents(project);
      await killed.done;
      await expectBilled(project, name);
    });
  });
}

async function expectBilled(project: Scratch, name: string): Promise<void> {
  const ended = await project.mh(['usage', '--json']);
  const rows = UsageRow.array().parse(ended.json);
  const sum = (pick: (row: UsageRow) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const counted = {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
  };
  expect(counted).toEqual(server.bill(name));
}

/** Kills each shim with its process group, and everything below it. */
function killAgents(project: Scratch): void {
  const all = processes();
  const isShim = ({ command }: { command: string }) => command.includes(` manyhands ${project.home}`);
  const below = (pid: number): number[] => [
    pid,
    ...all.filter(({ parent }) => parent === pid).flatMap((child) => below(child.pid)),
  ];
  const pids = all.filter(isShim).flatMap(({ pid }) => below(pid));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with its parent.
    }
  }
}
