import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Agent, AgentEvent, Assignment } from '../../src/agents/agent.ts';

/** Plays an attempt whose program alone, and nobody that it started, is asked to stop at the first event that fits. */
export async function runUntilStopped(agent: Agent, assignment: Assignment, at: (event: AgentEvent) => boolean) {
  const { command, env } = await agent.command(assignment);
  const reader = agent.reader(assignment);
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: assignment.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const events: AgentEvent[] = [];
  const follow = async (file: 'stdout' | 'stderr', stream: Readable) => {
    for await (const text of createInterface({ input: stream })) {
      const read = reader.line(file, text);
      events.push(...read);
      if (read.some(at)) child.kill('SIGTERM');
    }
  };
  await Promise.all([closed, follow('stdout', child.stdout), follow('stderr', child.stderr)]);
  const code = child.exitCode ?? -1;
  return { events, code, result: reader.end({ kind: 'exited', code }) };
}
