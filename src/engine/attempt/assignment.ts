import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, AgentCapabilities, Assignment, AssignmentSettings } from '../../agents/agent.ts';
import { messageSection } from '../../core/attempt/message.ts';
import { grantedTo } from '../../core/attempt/policy-hold.ts';
import { configuredLists } from '../../core/policy/rule-lists.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isAffectedOnly } from '../../gates/affected/affected.ts';
import { candidateGates, commandText, scopeGates } from '../../gates/gate-kinds.ts';
import { deleteFile } from '../../git/plain-file.ts';
import { showFile } from '../../git/read/diff.ts';
import { FILES } from '../../process/shim.ts';
import { promptText, renderPrompt } from '../../roles/prompt.ts';
import type { Role } from '../../roles/role.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TaskLimits } from '../../schema/task.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { portVariables } from '../../workspaces/ports.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { settingsFor } from './agent-settings.ts';
import type { OpenTools } from './attempt-tools.ts';
import { interactiveLimits, isInteractive } from './interactive-attempt.ts';

/** The maximum length of test instructions in a prompt. */
const MAX_TEST_CHARS = 20_000;

/** The name of our MCP server for agents. */
const TOOLS_SERVER = 'manyhands';

/** The folder of one attempt: its prompt, its exit code, and its raw output until its end is recorded. */
export function attemptFolder(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): string {
  return join(ctx.home.attempts, attemptId(run.id, task.ordinal, number));
}

/** Removes the output as the agent, and the application that it inspected, wrote it: the transcript has it without secrets. */
export async function removeRawOutput(folder: string): Promise<void> {
  // A file that cannot be removed is private, and removed with the run.
  for (const each of [folder, join(folder, 'application')])
    for (const file of [FILES.stdout, FILES.stderr]) await deleteFile(join(each, file)).catch(() => {});
}

export type AssignmentRequest = {
  task: TaskState;
  attempt: AttemptState;
  agent: Agent;
  workspace: string;
  token: string;
  /** The URL of the application that the task inspects. */
  appUrl?: string;
  appPort?: number;
  /** Ports that are leased to this attempt. */
  ports?: readonly number[];
  tools?: OpenTools | undefined;
};

/** The assignment of an attempt; the same when the attempt is adopted. */
export async function assignmentFor(
  ctx: EngineContext,
  run: ActiveRun,
  request: AssignmentRequest,
): Promise<Assignment> {
  const { task, attempt, agent } = request;
  const folder = attemptFolder(ctx, run, task, attempt.number);
  const role = run.roles.get(roleOf(task));
  const tier = attempt.tier ?? undefined;
  const output = outputOf(task, role);
  const interactive = isInteractive(run, { task, attempt, agent, hasSchema: output.outputSchema !== undefined });
  const limits = limitsOf(task, attempt, run.ledger.state.start.config.agents[attempt.agent]);
  const settings = withTools(await settingsFor(run, { task, attempt, tier, workspace: request.workspace }), request);
  return {
    attempt: attemptId(run.id, task.ordinal, attempt.number),
    run: run.id,
    task: task.spec.key,
    role: task.spec.role,
    number: attempt.number,
    access: task.spec.access,
    workspace: request.workspace,
    folder,
    promptFile: join(folder, 'prompt.md'),
    limits: interactive ? interactiveLimits(run, limits) : limits,
    ...(interactive ? { interactive } : {}),
    settings,
    env: {
      ...childEnvironment(ctx.env),
      ...vendorVariables(ctx.env, agent.vendor),
      MANYHANDS_TOKEN: request.token,
      ...(request.tools === undefined ? {} : { MANYHANDS_TOOLS: request.tools.file }),
      ...portVariables(request.ports ?? []),
      ...(request.appUrl === undefined ? {} : { APP_URL: request.appUrl }),
    },
    ...(request.appPort === undefined ? {} : { applicationPort: request.appPort }),
    ...(tier === undefined ? {} : { tier }),
    ...(attempt.session === null ? {} : { session: attempt.session }),
    ...output,
    ...scopesOf(task),
    ...policyOf(run, task),
    ...(request.tools === undefined ? {} : { toolsFile: request.tools.file }),
    ...(request.tools?.folder === undefined ? {} : { shownFolders: [request.tools.folder] }),
  };
}

/** Our own MCP server replaces one of the same name in the settings: agents never get the tools of a person's assistant. */
function withTools(settings: AssignmentSettings, { tools }: AssignmentRequest): AssignmentSettings {
  const { [TOOLS_SERVER]: _, ...mcp } = settings.mcp;
  if (tools === undefined) return { ...settings, mcp };
  return {
    ...settings,
    mcp: { ...mcp, [TOOLS_SERVER]: tools.server },
    allowedTools: [...settings.allowedTools, `mcp__${TOOLS_SERVER}`],
  };
}

/** The schema of the output: the task's own, else its role's. */
function outputOf(task: TaskState, role: Role | undefined): Pick<Assignment, 'outputSchema'> {
  const schema = task.spec.outputSchema ?? role?.output;
  return schema === undefined ? {} : { outputSchema: schema };
}

/** The scopes of a writing task, so that the agent's program can refuse other files at once. */
function scopesOf({ spec }: TaskState): Pick<Assignment, 'scopes'> {
  const scopes = scopeGates(spec.gates).map(({ allow, deny, also }) => ({ allow, deny, also }));
  return scopes.length === 0 || spec.access === 'read' ? {} : { scopes };
}

/** The rules of the settings, and what a person has approved for this task. */
export function policyOf(run: ActiveRun, { spec }: TaskState): Pick<Assignment, 'policy'> {
  const { answers, start } = run.ledger.state;
  if (start.config.policy.length === 0) return {};
  const granted = grantedTo(answers, spec.key);
  return { policy: { role: spec.role, ...configuredLists(start.config.policy), granted } };
}

/** The narrowest of what the task, the agent and the reservation allow. */
function limitsOf(task: TaskState, { reservation }: AttemptState, agent: AgentConfig | undefined): TaskLimits {
  const { limits } = task.spec;
  const runtimeMs = Math.min(limits.runtimeMs, (agent?.runtimeSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const costUsd = limits.costUsd ?? (reservation.costUsd > 0 ? reservation.costUsd : undefined);
  return { ...limits, runtimeMs, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** Each agent gets the variables of its own vendor only. */
export function vendorVariables(env: NodeJS.ProcessEnv, vendor: RegExp | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  if (vendor === undefined) return found;
  for (const [name, value] of Object.entries(env)) if (value !== undefined && vendor.test(name)) found[name] = value;
  return found;
}

type PromptRequest = {
  assignment: Assignment;
  capabilities: AgentCapabilities;
  memory: string;
  progress: string;
  appUrl?: string;
};

/** The role of the next attempt: after a failed verification, the role that fixes. */
function roleOf({ spec, report }: TaskState): string {
  return report !== null && spec.verify !== undefined ? spec.verify.fixRole : spec.role;
}

/** Writes the prompt: the role's text with the values of this task and its last failure. */
export async function writePrompt(run: ActiveRun, task: TaskState, request: PromptRequest): Promise<void> {
  const { assignment, capabilities } = request;
  await mkdir(assignment.folder, { recursive: true, mode: 0o700 });
  const instructions = capabilities.instructions ? '' : assignment.settings.instructions;
  const testing = task.spec.access === 'write' ? await testInstructions(run, lastAttempt(task)?.base) : '';
  const prompt = promptFor(
    run.ledger.state,
    { task, instructions, appUrl: request.appUrl ?? '', progress: request.progress, testing },
    run.roles.get(roleOf(task)),
  );
  const attempt = { number: assignment.number, session: assignment.session ?? null };
  const messages = messageSection(task, attempt);
  await writeFile(assignment.promptFile, `${prompt}${request.memory}${messages}${answerRequest(task)}`, {
    mode: 0o600,
  });
}

/** The request for a task's own output schema, added below the role's text. */
function answerRequest({ spec }: TaskState): string {
  if (spec.outputSchema === undefined) return '';
  const schema = JSON.stringify(spec.outputSchema, null, 2);
  return `\n${promptText('roles/sections/answer-form', { schema })}\n`;
}

type PromptInput = { task: TaskState; instructions: string; appUrl: string; progress: string; testing: string };

function promptFor(state: RunState, input: PromptInput, role: Role | undefined): string {
  const { task, instructions, appUrl, progress, testing } = input;
  if (role === undefined) return task.spec.prompt;
  const gates = candidateGates(task.spec.gates);
  const affected = gates.some(isAffectedOnly) ? ['', promptText('roles/sections/affected-check', {}).trim(), ''] : [];
  const commands = [...gates.map((gate) => `- ${commandText(gate)}`), ...affected];
  const conflict = task.spec.resolves === undefined ? undefined : state.tasks[task.spec.resolves]?.phase;
  const goal = goalOf(state);
  return renderPrompt(role, {
    goal,
    title: task.spec.title,
    id: task.spec.name ?? task.spec.key,
    task: task.spec.prompt === goal ? '' : task.spec.prompt,
    evidence: [task.lesson ?? '', ...findingsOf(task)].filter((text) => text !== '').join('\n\n'),
    checks: [...(testing === '' ? commands : [testing, '']), ...scopeLines(task)].join('\n').trim(),
    conflict: conflict?.status === 'conflicted' ? conflict.files.map((file) => `- ${file}`).join('\n') : '',
    context: contextFor(state, task, progress),
    instructions,
    appUrl,
  });
}

/** What the checks found in the previous attempt's work although they passed. */
function findingsOf({ earlierEvidence = [] }: TaskState): string[] {
  return earlierEvidence.flatMap(({ gate, flags = [] }) => flags.map(({ detail }) => `${gate}: ${detail}`));
}

/** A scope as text for the agent. */
function scopeLines({ spec }: TaskState): string[] {
  return scopeGates(spec.gates).map(({ allow, also, deny, maxChangedLines }) => {
    return promptText('roles/sections/scope', {
      allowed: allow.length === 0 ? '' : [...allow, ...also].join(', '),
      denied: deny.join(', '),
      maxChangedLines: maxChangedLines === undefined ? '' : String(maxChangedLines),
    });
  });
}

/** The goal of the whole run as the user wrote it, if the task is only a part of it. */
function goalOf({ start }: RunState): string {
  const { input } = start;
  const goal = typeof input === 'object' && input !== null && 'goal' in input ? input.goal : undefined;
  return typeof goal === 'string' ? goal : '';
}

/** The results of the tasks that it needs, one line each, the key files, and the end of the progress file. */
function contextFor(state: RunState, task: TaskState, progress: string): string {
  const lines = task.spec.needs.flatMap((key) => {
    const need = state.tasks[key];
    if (need === undefined) return [];
    const summary = lastAttempt(need)?.ended?.summary.split('\n')[0] ?? '';
    return [`- ${need.spec.title}${summary === '' ? '' : `: ${summary}`}`];
  });
  const keyFiles = state.start.config.project.keyFiles.join(', ');
  return promptText('roles/sections/context', { needed: lines.join('\n'), keyFiles, progress });
}

/** The test instructions for agents, from the commit they start from; empty where no file has them. */
async function testInstructions(run: ActiveRun, base: string | undefined): Promise<string> {
  const path = run.ledger.state.start.config.project.testInstructions;
  if (path === undefined || base === undefined) return '';
  const text = (await showFile(run.project.mirror, base, path)) ?? '';
  return text.slice(0, MAX_TEST_CHARS).trim();
}
