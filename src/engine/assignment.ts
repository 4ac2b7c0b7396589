import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, Assignment } from '../agents/agent.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../core/state.ts';
import { renderPrompt } from '../roles/prompt.ts';
import type { Role } from '../roles/role.ts';
import type { AgentConfig, AgentKind } from '../schema/config/agent.ts';
import { attemptId } from '../schema/ids.ts';
import type { TaskLimits } from '../schema/task.ts';
import { childEnvironment } from '../workspaces/environment.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { settingsFor } from './settings.ts';

/** The folder of one attempt: its prompt, its raw output, its exit code. */
export function attemptFolder(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): string {
  return join(ctx.home.attempts, attemptId(run.id, task.ordinal, number));
}

export type Assigning = { task: TaskState; attempt: AttemptState; agent: Agent; workspace: string; token: string };

/** What an agent is asked in this attempt; the same again when the attempt is adopted. */
export async function assignmentFor(ctx: EngineContext, run: ActiveRun, what: Assigning): Promise<Assignment> {
  const { task, attempt, agent } = what;
  const folder = attemptFolder(ctx, run, task, attempt.number);
  const role = run.roles.get(task.spec.role);
  const tier = attempt.tier ?? undefined;
  const settings = await settingsFor(run, { task, attempt, tier });
  return {
    attempt: attemptId(run.id, task.ordinal, attempt.number),
    run: run.id,
    task: task.spec.key,
    role: task.spec.role,
    number: attempt.number,
    access: task.spec.access,
    workspace: what.workspace,
    folder,
    promptFile: join(folder, 'prompt.md'),
    limits: limitsOf(task, attempt, run.ledger.state.start.config.agents[attempt.agent]),
    settings,
    env: { ...childEnvironment(ctx.env), ...vendorVariables(ctx.env, agent.vendor), MANYHANDS_TOKEN: what.token },
    ...(tier === undefined ? {} : { tier }),
    ...(attempt.session === null ? {} : { session: attempt.session }),
    ...(role?.output === undefined ? {} : { outputSchema: role.output }),
  };
}

/** The narrowest of what the task, the agent and the reservation allow. */
function limitsOf(task: TaskState, { reservation }: AttemptState, agent: AgentConfig | undefined): TaskLimits {
  const { limits } = task.spec;
  const runtimeMs = Math.min(limits.runtimeMs, (agent?.runtimeSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const costUsd = limits.costUsd ?? (reservation.costUsd > 0 ? reservation.costUsd : undefined);
  return { ...limits, runtimeMs, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** Each agent sees its own vendor's variables and no other's. */
function vendorVariables(env: NodeJS.ProcessEnv, vendor: RegExp | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  if (vendor === undefined) return found;
  for (const [name, value] of Object.entries(env)) if (value !== undefined && vendor.test(name)) found[name] = value;
  return found;
}

type Writing = { assignment: Assignment; kind: AgentKind };

/** Agents that have no channel of their own for instructions below the role. */
const TOLD_BY_US: ReadonlySet<AgentKind> = new Set(['command', 'rehearsal']);

/** Writes the prompt: the role's text with what this task, and its last failure, put into it. */
export async function writePrompt(run: ActiveRun, task: TaskState, { assignment, kind }: Writing): Promise<void> {
  await mkdir(assignment.folder, { recursive: true, mode: 0o700 });
  const instructions = TOLD_BY_US.has(kind) ? assignment.settings.instructions : '';
  const prompt = promptFor(run.ledger.state, { task, instructions }, run.roles.get(task.spec.role));
  await writeFile(assignment.promptFile, prompt, { mode: 0o600 });
}

type Told = { task: TaskState; instructions: string };

function promptFor(state: RunState, { task, instructions }: Told, role: Role | undefined): string {
  if (role === undefined) return task.spec.prompt;
  const commands = task.spec.gates.flatMap((gate) => (gate.gate === 'command' ? [`- ${textOf(gate.run)}`] : []));
  const conflict = task.spec.resolves === undefined ? undefined : state.tasks[task.spec.resolves]?.phase;
  const goal = goalOf(state);
  return renderPrompt(role, {
    goal,
    title: task.spec.title,
    task: task.spec.prompt === goal ? '' : task.spec.prompt,
    evidence: task.lesson ?? '',
    checks: commands.join('\n'),
    conflict: conflict?.status === 'conflicted' ? conflict.files.map((file) => `- ${file}`).join('\n') : '',
    context: contextFor(state, task),
    instructions,
  });
}

/** The goal of the whole run in the person's own words, where the task is only a part of it. */
function goalOf({ start }: RunState): string {
  const { input } = start;
  const asked = typeof input === 'object' && input !== null && 'goal' in input ? input.goal : undefined;
  return typeof asked === 'string' ? asked : '';
}

/** What the tasks it needs have done, in a line each. */
function contextFor(state: RunState, task: TaskState): string {
  const lines = task.spec.needs.flatMap((key) => {
    const need = state.tasks[key];
    if (need === undefined) return [];
    const summary = lastAttempt(need)?.ended?.summary.split('\n')[0] ?? '';
    return [`- ${need.spec.title}${summary === '' ? '' : `: ${summary}`}`];
  });
  return lines.join('\n');
}

function textOf(run: string | readonly string[]): string {
  return typeof run === 'string' ? run : run.join(' ');
}
