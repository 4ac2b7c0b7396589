import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type {
  Agent,
  AgentEvent,
  AgentExit,
  AgentResult,
  Assignment,
  AssignmentSettings,
} from '../../src/agents/agent.ts';

export interface Played {
  events: AgentEvent[];
  result: AgentResult;
  exit: AgentExit;
  lines: { file: 'stdout' | 'stderr'; text: string }[];
}

/** Settings that ask for nothing in particular. */
export const PLAIN_SETTINGS: AssignmentSettings = {
  permission: 'acceptEdits',
  allowedTools: [],
  disallowedTools: [],
  allowedCli: [],
  addDirs: [],
  mcp: {},
  trusted: [],
  instructions: '',
  native: {},
};

/** A temporary folder with a workspace, a prompt and an assignment for one attempt. */
export async function makeAssignment(more: Partial<Assignment> = {}, prompt = 'Do it.\n') {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'mh-agent-')));
  const assignment: Assignment = {
    attempt: 'abcdefgh-1-2',
    run: 'abcdefgh',
    task: 'implement/1.2',
    role: 'implement',
    number: 2,
    access: 'write',
    workspace: join(root, 'workspace'),
    folder: join(root, 'attempt'),
    promptFile: join(root, 'attempt', 'prompt.md'),
    limits: { inactivityMs: 60_000, runtimeMs: 60_000, outputBytes: 1_000_000 },
    settings: PLAIN_SETTINGS,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: root },
    ...more,
  };
  await mkdir(assignment.workspace);
  await mkdir(assignment.folder);
  await writeFile(assignment.promptFile, prompt);
  return { root, assignment, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** Starts the agent's real program and feeds its real output to its reader; `stopAt` kills it at the first such line. */
export async function performAttempt(agent: Agent, assignment: Assignment, stopAt?: string): Promise<Played> {
  const { command, env, stdin } = await agent.command(assignment);
  const reader = agent.reader(assignment);
  const [program = '', ...args] = command;
  const input = await open(stdin ?? '/dev/null');
  const child = spawn(program, args, { cwd: assignment.workspace, env, stdio: [input.fd, 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const events: AgentEvent[] = [];
  const lines: Played['lines'] = [];
  const read = async (file: 'stdout' | 'stderr', stream: Readable | null) => {
    if (stream === null) throw new Error(`${file} is not piped`);
    for await (const text of createInterface({ input: stream })) {
      lines.push({ file, text });
      events.push(...reader.line(file, text));
      if (stopAt !== undefined && text.includes(stopAt)) child.kill('SIGKILL');
    }
  };
  await Promise.all([closed, read('stdout', child.stdout), read('stderr', child.stderr)]);
  await input.close();
  const exit: AgentExit = child.exitCode === null ? { kind: 'interrupted' } : { kind: 'exited', code: child.exitCode };
  return { events, lines, result: reader.end(exit), exit };
}
