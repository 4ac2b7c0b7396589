import { mkdir } from 'node:fs/promises';
import type { Agent, AgentCommand, AgentReader, Assignment } from '../../agents/agent.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { controlFolder, DEFAULT_SIZE, type TerminalKind } from '../../process/terminal/files.ts';
import { inTerminal } from '../../process/terminal/terminal.ts';
import { findTmux } from '../../process/terminal/tmux.ts';
import type { ContainmentRecord } from '../../schema/containment.ts';
import type { TaskLimits } from '../../schema/task.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { containAgent } from './containment.ts';

/** The program of an attempt, and the kind of its terminal if it has one. */
export type AttemptProgram = AgentCommand & { terminal?: TerminalKind };

type InteractiveQuery = { task: TaskState; attempt: AttemptState; agent: Agent; hasSchema: boolean };

/**
 * Whether an attempt runs in a terminal: its task requires it, or its agent does so for every task that writes. A task
 * with an output schema never does, because its answer could not be read from a terminal; one on a host neither, because
 * nobody could type there.
 */
export function isInteractive(run: ActiveRun, { task, attempt, agent, hasSchema }: InteractiveQuery): boolean {
  if (hasSchema || attempt.host !== undefined) return false;
  if (task.spec.interactive === true) return true;
  const isConfigured = run.config.agents[attempt.agent]?.interactive === true && agent.interactive !== undefined;
  return isConfigured && task.spec.access === 'write' && task.spec.verifies === undefined;
}

/** People are slower than agents: default limits are replaced by those for terminals; the task's own limits stay. */
export function interactiveLimits(run: ActiveRun, limits: TaskLimits): TaskLimits {
  const { inactivitySeconds, runtimeSeconds, interactive } = run.ledger.state.start.config.limits;
  const isUsual = {
    silence: limits.inactivityMs === inactivitySeconds * 1000,
    time: limits.runtimeMs === runtimeSeconds * 1000,
  };
  return {
    ...limits,
    inactivityMs: isUsual.silence ? interactive.inactivitySeconds * 1000 : limits.inactivityMs,
    runtimeMs: isUsual.time ? interactive.runtimeSeconds * 1000 : limits.runtimeMs,
  };
}

/** The program of an attempt in its sandbox, in a terminal if it is interactive: tmux where installed, else our own. */
export async function programOf(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, assignment }: { agent: Agent; assignment: Assignment },
): Promise<{ program: AttemptProgram; record: ContainmentRecord }> {
  if (assignment.interactive !== true)
    return containAgent(ctx, run, { agent, assignment, start: (each) => agent.command(each) });
  const interactive = requireInteractive(agent);
  const start = (each: Assignment) => interactive.command(each);
  // The sandbox hides it, for which it must exist.
  await mkdir(controlFolder(assignment.folder), { recursive: true, mode: 0o700 });
  const { program, record } = await containAgent(ctx, run, { agent, assignment, start });
  const { command, env: own } = program;
  const kind: TerminalKind = (await findTmux(ctx.env))?.isUsable === true ? 'tmux' : 'pty';
  const { folder, workspace } = assignment;
  const held = inTerminal(kind, { folder, command, cwd: workspace, size: DEFAULT_SIZE });
  const terminal = { command: held.command, env: { ...own, ...held.env }, pipeOutput: false, terminal: kind };
  return { program: terminal, record };
}

/** The reader for the output of an attempt, by how it was started. */
export function readerOf(agent: Agent, assignment: Assignment, terminal: TerminalKind | undefined): AgentReader {
  return terminal === undefined ? agent.reader(assignment) : requireInteractive(agent).reader(assignment);
}

function requireInteractive({ name, kind, interactive }: Agent): NonNullable<Agent['interactive']> {
  if (interactive !== undefined) return interactive;
  const message = `Agent ${name} (${kind}) has no interactive mode`;
  throw new AppError('AGENT_NOT_INTERACTIVE', message, { agent: name });
}
