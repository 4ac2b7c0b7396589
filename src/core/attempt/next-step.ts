import { isUserProgram } from '../../agents/agent-kinds.ts';
import type { Failure, FailureLimit } from '../../schema/failure.ts';
import { canReopen, isAuxiliary } from '../run/reopening.ts';
import type { AttemptState, RunState, TaskState } from '../run/state.ts';
import { roundMoney, runMoney } from '../schedule/budget.ts';
import { momentText } from '../view/amounts.ts';
import { shellWord } from '../view/shell-word.ts';
import { taskArgument } from '../view/task-label.ts';

/** More files than this are named by their folders, so that the command stays readable. */
const MOST_FILES = 4;

/** What a person can do about a failed or blocked task; every command in it works as printed. */
export function nextStepAfter(state: RunState, task: TaskState, failure: Failure): string {
  return withoutStopAfterCommand(stepAfter(state, task, failure));
}

/** A full stop after a command would be copied with its last argument. */
function withoutStopAfterCommand(text: string): string {
  const last = text.slice(text.lastIndexOf('manyhands '));
  return last.startsWith('manyhands ') && !/[;,.] |\)/.test(last) ? text.replace(/\.$/, '') : text;
}

function stepAfter(state: RunState, task: TaskState, failure: Failure): string {
  const step = stepContext(state, task);
  const { retry, other, run, target } = step;
  const { runAttempts } = state.start.config.limits;
  if (state.attempts >= runAttempts)
    return `This run has used its ${runAttempts} attempts: raise the limit with manyhands config set limits.runAttempts ${runAttempts * 2}, then start a new run.`;
  if (failure.outside !== undefined)
    return `Allow the files that it changed: ${retry}${allowFlags(failure.outside)}; or tell it not to change them: ${step.send('Do not change other files')}.`;
  if (failure.workspace !== undefined)
    return `Inspect the workspace (git -C ${shellWord(failure.workspace)} status), then continue with the changes: ${retry} --keep-changes; or without them: ${retry} --discard-changes.`;
  switch (failure.kind) {
    case 'rate-limit':
    case 'usage-limit':
      return `Wait ${failure.resetAt === undefined ? 'for the reset' : `until ${momentText(failure.resetAt)}`}, then ${retry}${orAgent(other)}.`;
    case 'overloaded':
      return `The provider is overloaded: try again later with ${retry}${orAgent(other)}.`;
    case 'auth':
      return `Log the agent in again (manyhands doctor says how), then ${retry}${orAgent(other)}.`;
    case 'billing':
      return `Settle the account with the provider, then ${retry}${orAgent(other)}.`;
    case 'model-not-found':
      return modelStep(step);
    case 'context-full':
      return `Its conversation did not fit the model: split the task into smaller ones and start them as a new run${orAgent(other)}.`;
    case 'network':
      return `Check the connection to the provider, then ${retry}.`;
    case 'environment':
      return environmentStep(state, failure, step);
    case 'tests':
      return `Read the output of the check with manyhands show ${run}, then tell the agent what to change: ${step.send('Fix the failing check')}; or try again: ${retry}.`;
    case 'verification':
      return `Read what was found with manyhands show ${run}, then tell the agent what to change: ${step.send('Fix what the verification found')}; or try again: ${retry}.`;
    case 'stalled':
      return `Read its last output with manyhands logs ${target}; if it was still working, let it be silent for longer: ${retry} --stop silence=${durationText(task.spec.limits.inactivityMs * 2)}.`;
    case 'timeout':
      if (failure.limit === 'deadline') return `Give the run more time: manyhands retry ${run} --until +2h.`;
      return `Give it more time: ${retry} --stop time=${durationText(usedMs(task) * 2)}; or split the task.`;
    case 'crashed':
      return `Read its last output with manyhands logs ${target}, update the agent, then ${retry}${orAgent(other)}.`;
    case 'killed':
      return `Find out what killed it (often too little memory), then ${retry}.`;
    case 'too-many-processes':
      return `Read what it started with manyhands logs ${target}; if it needs that many, raise resources.processes in your settings, then ${retry}.`;
    case 'out-of-memory':
      return `Let fewer attempts run at once with manyhands limit ${run} --agents ${Math.max(1, Math.floor(state.maxParallel / 2))}, then ${retry}.`;
    case 'disk-full':
      return `Free some disk space, then ${retry}.`;
    case 'conflict':
      return `Try it again on the current branch: ${retry}; or merge its saved work yourself: manyhands salvage ${run}.`;
    case 'budget':
      return budgetStep(state, failure, step);
    case 'refused':
      if (failure.denied !== undefined) return deniedStep(state, failure.denied, step);
      return `Tell the agent what to do differently: ${step.send('Do it without what was refused')}${orAgent(other)}.`;
    case 'no-change':
      return `Tell the agent what must be different afterwards: ${step.send('The change is still missing')}.`;
    case 'bad-output':
      return outputStep(state, step);
    case 'implementation':
      return `Read its last output with manyhands logs ${target}, then tell the agent what to do differently: ${step.send('Try another approach')}; or try again: ${retry}.`;
    case 'interrupted':
      return `Nothing is wrong with the task: continue with ${retry}.`;
    case 'session-lost':
      return `Nothing is wrong with the task: start it again with ${retry}.`;
    case 'unknown':
      return `Read its last output with manyhands logs ${target}, then ${retry}.`;
  }
}

type StepContext = {
  run: string;
  /** The run and the task, as commands take them. */
  target: string;
  task: TaskState;
  attempt: AttemptState | undefined;
  retry: string;
  /** The command that retries with another agent, where the run knows one. */
  other: string | undefined;
  /** The flag that selects an agent for this task. */
  agentFlag(name: string): string;
  send(message: string): string;
};

/** An auxiliary task is retried through the task that it serves; its agent is selected by its role. */
function stepContext(state: RunState, task: TaskState): StepContext {
  const { run, config, unable = {} } = state.start;
  const { spec } = task;
  const key = spec.resolves ?? spec.analyzes ?? spec.verifies ?? spec.key;
  const target = `${run} ${taskArgument(state, key)}`;
  const retry = `manyhands retry ${target}`;
  const attempt = task.attempts.at(-1);
  const agentFlag = (name: string) => ` --agent ${shellWord(isAuxiliary(task) ? `${spec.role}=${name}` : name)}`;
  const names = [...new Set([...config.routing.order, ...Object.keys(config.agents)])];
  const free = names.find(
    (name) => attempt !== undefined && name !== attempt.agent && config.agents[name] && !Object.hasOwn(unable, name),
  );
  return {
    run,
    target,
    task,
    attempt,
    retry,
    other: free === undefined ? undefined : `${retry}${agentFlag(free)}`,
    agentFlag,
    send: (message) => `manyhands send ${target} '${message}'`,
  };
}

function orAgent(other: string | undefined): string {
  return other === undefined ? '' : `; or use another agent: ${other}`;
}

/** A retry that names the agent reads its settings again. */
function modelStep({ attempt, retry, agentFlag, other }: StepContext): string {
  if (attempt === undefined) return `Correct the model in the settings of the agent, then ${retry}.`;
  return `Correct agents.${attempt.agent}.models in the settings, then ${retry}${agentFlag(attempt.agent)}${orAgent(other)}.`;
}

/** Names the setting that allows a tool; a run keeps its settings, so that it applies to the next one. */
function deniedStep(state: RunState, tool: string, { send }: StepContext): string {
  const { allowedTools, disallowedTools } = state.start.config.tools;
  const without = `or tell the agent to do without it: ${send(`Do it without ${tool.replaceAll("'", '')}`)}`;
  const pattern = disallowedTools.find((each) => each === tool || each.startsWith(`${tool}(`));
  if (pattern !== undefined)
    return `tools.disallowedTools in the settings refuses ${pattern}: remove it there and start the work as a new run; ${without}.`;
  const allowed = shellWord(JSON.stringify([...new Set([...allowedTools, tool])]));
  return `Allow the tool with manyhands config set tools.allowedTools ${allowed} and start the work as a new run; ${without}.`;
}

/** A program of the user is fixed by the user; the answer of a model may be better the next time or from another one. */
function outputStep(state: RunState, { attempt, task, retry, target, other }: StepContext): string {
  const isProgram = attempt !== undefined && isUserProgram(state.start.config.agents[attempt.agent]?.kind);
  const shown = `see what it printed with manyhands logs ${target}`;
  if (!isProgram) return `Its answer does not match the schema: ${shown}, then ${retry}${orAgent(other)}.`;
  const schema = task.spec.outputSchema === undefined ? `the role ${task.spec.role}` : 'the task';
  return `The last line that ${attempt.agent} prints must be a JSON object that matches the schema of ${schema}: ${shown}, fix the program, then ${retry}.`;
}

function environmentStep(state: RunState, { message }: Failure, { retry, attempt, task }: StepContext): string {
  const before = task.spec.after?.find((reference) => message.includes(reference));
  if (before !== undefined && attempt === undefined)
    return `Retry the task that it waits for with manyhands retry ${before}, then ${retry}.`;
  return `Fix the reported error (manyhands doctor helps), then ${retry}.${visibleStep(state, attempt)}`;
}

/** How to show a sandbox the program of an agent that the file of a project names; a run keeps its settings. */
function visibleStep({ start: { config } }: RunState, attempt: AttemptState | undefined): string {
  const { sandbox, sandboxPaths, agents } = config;
  if (attempt === undefined || sandbox === 'off' || !sandboxPaths.projectAgents?.includes(attempt.agent)) return '';
  const configured = agents[attempt.agent];
  const command = configured !== undefined && 'command' in configured ? configured.command : undefined;
  if (command === undefined || !/^\/.*\//.test(command)) return '';
  const shown = [...new Set([...sandboxPaths.read, command.slice(0, command.lastIndexOf('/'))])];
  return ` In a sandbox, a program that the project's settings name is visible only in the repository and in the system; your own settings show its folder to new runs: manyhands config set sandboxPaths.read ${shellWord(JSON.stringify(shown))} --global.`;
}

function budgetStep(state: RunState, failure: Failure, step: StepContext): string {
  const { retry, attempt, task, target } = step;
  const { limits } = task.spec;
  const { budget } = state.start.config;
  switch (failure.limit ?? reachedLimit(step)) {
    case 'turns':
      return `Allow more turns: ${retry} --stop turns=${(limits.turns ?? turnsOf(attempt)) * 2}; or split the task.`;
    case 'cost': {
      const costUsd = 2 * (limits.costUsd ?? attempt?.reservation.costUsd ?? budget.attempt);
      return `Let an attempt cost more: ${retry} --stop budget=${cents(costUsd)}${budgetFlag(state, costUsd)}; or split the task.`;
    }
    case 'run-budget':
      return `Raise the budget of the run: manyhands retry ${state.start.run} --budget ${cents(budgetToReopen(state, limits.costUsd ?? budget.attempt))}.`;
    case 'project-budget':
      return `The budget of the project is used up: raise it with manyhands config set budget.project ${cents(2 * (budget.project ?? 1))}, then start a new run.`;
    case 'recovery-budget':
      return `The budget for repeated attempts (budget.recovery) is used up: read why they failed with manyhands logs ${target}, then ${retry}.`;
    case 'output':
      return `It wrote more than limits.output.maxBytes: read its output with manyhands logs ${target}, then tell it to write less: ${step.send('Write less output')}.`;
    case 'deadline':
    case 'run-attempts':
    case undefined:
      return `Tell the agent to do less: ${step.send('Do only the first part')}; or split the task.`;
  }
}

/** The limit that the usage of the attempt has reached, where the agent itself enforced it. */
function reachedLimit({ attempt, task }: StepContext): FailureLimit | undefined {
  const { turns, costUsd } = task.spec.limits;
  if (attempt?.usage.kind !== 'known') return undefined;
  if (turns !== undefined && attempt.usage.turns >= turns) return 'turns';
  const cap = costUsd ?? attempt.reservation.costUsd;
  return cap > 0 && attempt.usage.costUsd >= cap ? 'cost' : undefined;
}

function turnsOf(attempt: AttemptState | undefined): number {
  return attempt?.usage.kind === 'known' ? Math.max(1, attempt.usage.turns) : 1;
}

/** A higher cost of an attempt may need a higher budget of the run. */
function budgetFlag(state: RunState, attemptUsd: number): string {
  const { run } = state.start.config.budget;
  const needed = budgetToReopen(state, attemptUsd);
  return run === undefined || needed <= run ? '' : ` --budget ${cents(needed)}`;
}

/** Enough for one attempt of every task that a retry of the run reopens. */
function budgetToReopen(state: RunState, attemptUsd: number): number {
  const count = state.order.filter((key) => canReopen(state, key)).length;
  return roundMoney(runMoney(state).spentUsd + attemptUsd * Math.max(1, count));
}

function cents(usd: number): string {
  return (Math.ceil(roundMoney(usd * 100)) / 100).toFixed(2);
}

/** How long the last attempt ran, which is the limit that it reached. */
function usedMs({ attempts, spec }: TaskState): number {
  const last = attempts.at(-1);
  return last?.ended == null ? spec.limits.runtimeMs : last.ended.at - last.startedAt;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds <= 120 ? `${seconds}s` : `${Math.ceil(seconds / 60)}m`;
}

function allowFlags(files: readonly string[]): string {
  const folders = files.map((file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file));
  const globs = files.length <= MOST_FILES ? files : [...new Set(folders)];
  return globs.map((glob) => ` --scope-allow ${shellWord(glob.replace(/[*?[\]{}()!\\]/g, '\\$&'))}`).join('');
}
