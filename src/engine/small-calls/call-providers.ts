import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Agent, AgentCapabilities, Assignment } from '../../agents/agent.ts';
import { modelFor } from '../../core/models/tier.ts';
import { unknownUsage } from '../../core/schedule/budget.ts';
import { moneyText } from '../../core/view/amounts.ts';
import type { ModelAnswer } from '../../model-apis/model-api.ts';
import { openPlainHandle } from '../../process/files/plain-file.ts';
import { runSupervised } from '../../process/supervised.ts';
import { promptText } from '../../roles/prompt.ts';
import type { CallKind } from '../../schema/call.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { vendorVariables } from '../attempt/assignment.ts';
import { containAgent, resourcesOf } from '../attempt/containment.ts';
import { endAgentNetwork } from '../attempt/network.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** A question to a model: a text to judge, and the schema of the answer. */
type Question = { kind: CallKind; text: string; schema: z.ZodType };

type AgentQuestion = { agent: Agent; question: Question; costUsd: number; signal: AbortSignal };

/** A program takes seconds to start, and its model a few more. */
const RUNTIME_MS = 60_000;

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** One answer, and further turns for a program that returns its answer in a separate turn. */
const MAX_TURNS = 5;

/** The supervisor gives a program no input; this script does. */
const WITH_INPUT = 'input=$1; shift; exec "$@" <"$input"';

/** A provider of small calls, and the US dollars reserved for one call. */
export type CallProvider = {
  name: string;
  reservedUsd: number;
  ask(question: Question, signal: AbortSignal): Promise<ModelAnswer>;
};

const TIMEOUT_MS = 20_000;
/** A few thousand tokens of a light model; an agent's program adds its own instructions. */
const API_USD = 0.01;
const AGENT_USD = 0.05;

/** The providers for this run, in order; none where it only rehearses or runs commands, or the settings choose rules. */
export function callProvidersOf(ctx: EngineContext, run: ActiveRun): CallProvider[] {
  const { use } = run.config.smallCalls;
  const names = agentsOf(run);
  const agents = names.flatMap((name) => run.agents.get(name)?.capabilities ?? []);
  if (use === 'rules' || agents.some(({ scripted }) => scripted) || !agents.some(({ model }) => model)) return [];
  return [
    ...(use === 'agent' ? [] : apiProviders(ctx, run, agents)),
    ...(use === 'api' ? [] : agentProviders(ctx, run, names)),
  ];
}

/** States, before anything is spent, which providers may be called and how to disable it. */
export function smallCallNotes(ctx: EngineContext, run: ActiveRun): string[] {
  const names = callProvidersOf(ctx, run).map(({ name }) => name);
  const { budget } = run.config.smallCalls;
  if (names.length === 0 || budget === 0) return [];
  return [
    `Small calls (a title, a tier, why a task failed) may use ${names.join(' or ')}, for ${moneyText(budget)} in all; smallCalls.use: rules disables them.`,
  ];
}

function agentsOf({ config, ledger }: ActiveRun): string[] {
  return [
    ...new Set([
      ...Object.values(ledger.state.start.agents).flatMap((list) => list.split(',')),
      ...config.routing.order,
    ]),
  ];
}

/** With `auto` only vendors whose agents work in the run are called. */
function apiProviders(ctx: EngineContext, { config }: ActiveRun, agents: readonly AgentCapabilities[]): CallProvider[] {
  const { use, models } = config.smallCalls;
  const vendors = new Set(agents.flatMap(({ modelApi }) => modelApi ?? []));
  return ctx.implementations.modelApis
    .filter((api) => api.hasKey(ctx.env) && (use === 'api' || vendors.has(api.vendor)))
    .map((api) => ({
      name: `api:${api.vendor}`,
      reservedUsd: API_USD,
      ask: ({ kind, text, schema }, signal) =>
        api.request(
          { model: models[api.vendor], system: instructionFor(kind), text, schema: jsonSchemaOf(schema) },
          { env: ctx.env, world: ctx.world, timeoutMs: TIMEOUT_MS },
          signal,
        ),
    }));
}

/** With `auto` only an agent that has a light model is called, to keep the cost small. */
function agentProviders(ctx: EngineContext, run: ActiveRun, names: readonly string[]): CallProvider[] {
  const name = names.find((each) => {
    const agent = run.config.agents[each];
    if (agent === undefined || run.agents.get(each)?.capabilities.model !== true) return false;
    return run.config.smallCalls.use === 'agent' || agent.models.light !== undefined;
  });
  const agent = name === undefined ? undefined : run.agents.get(name);
  if (agent === undefined) return [];
  return [
    {
      name: agent.name,
      reservedUsd: AGENT_USD,
      ask: (question, signal) => askAgent(ctx, run, { agent, question, costUsd: AGENT_USD, signal }),
    },
  ];
}

/** Asks an agent's light model in an empty folder, with permission only to answer; nothing of it remains after the call. */
async function askAgent(ctx: EngineContext, run: ActiveRun, request: AgentQuestion): Promise<ModelAnswer> {
  const { agent, signal } = request;
  const folder = join(ctx.home.attempts, `${run.id}-call-${ctx.world.token()}`);
  const files = `${folder}-files`;
  try {
    const assignment = await prepare(ctx, run, { ...request, files });
    const { program } = await containAgent(ctx, run, { agent, assignment, start: (each) => agent.command(each) });
    const { command, env, stdin } = program;
    const { ending, timedOut, outputFile, isOutputLost } = await runSupervised(
      {
        folder: folder,
        command: stdin === undefined ? command : ['/bin/sh', '-c', WITH_INPUT, 'ask', stdin, ...command],
        cwd: assignment.workspace,
        env,
        limits: resourcesOf(run),
        timeoutMs: RUNTIME_MS,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      },
      ctx.world,
    );
    const reader = agent.reader(assignment);
    await using handle = await openPlainHandle(outputFile);
    for (const line of (await handle.readFile('utf8')).split('\n')) if (line !== '') reader.line('stdout', line);
    const { usage: reported, output, failure } = reader.end(ending);
    const usage = isOutputLost ? unknownUsage(reported) : reported;
    if (timedOut) return { kind: 'failed', problem: `no answer within ${RUNTIME_MS / 1000} s`, usage };
    if (failure !== undefined) return { kind: 'failed', problem: failure.message, usage };
    return { kind: 'answered', output, usage };
  } finally {
    // What it requested is not recorded; a proxy that cannot be reached has ended.
    await endAgentNetwork(ctx, basename(files)).catch(() => {});
    await rm(folder, { recursive: true, force: true });
    await rm(files, { recursive: true, force: true });
  }
}

async function prepare(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, question, costUsd, files }: AgentQuestion & { files: string },
): Promise<Assignment> {
  const workspace = join(files, 'empty');
  const promptFile = join(files, 'prompt.md');
  await mkdir(workspace, { recursive: true, mode: 0o700 });
  await writeFile(promptFile, `${instructionFor(question.kind)}\n\n${question.text}\n`, { mode: 0o600 });
  const config = run.config.agents[agent.name];
  const model = modelFor(config, 'light');
  const [account] = Object.entries(config?.accounts ?? {});
  return {
    attempt: basename(files),
    run: run.id,
    task: question.kind,
    role: question.kind,
    number: 1,
    access: 'read',
    tier: 'light',
    workspace,
    folder: files,
    promptFile,
    outputSchema: jsonSchemaOf(question.schema),
    limits: {
      inactivityMs: RUNTIME_MS,
      runtimeMs: RUNTIME_MS,
      turns: MAX_TURNS,
      costUsd,
      outputBytes: MAX_OUTPUT_BYTES,
    },
    settings: {
      permission: 'plan',
      allowedTools: [],
      disallowedTools: [],
      allowedCli: [],
      addDirs: [],
      mcp: {},
      trusted: [],
      instructions: '',
      native: {},
      ...(model === undefined ? {} : { model }),
      ...(account === undefined ? {} : { account: { name: account[0], ...account[1] } }),
    },
    env: { ...childEnvironment(ctx.env), ...vendorVariables(ctx.env, agent.vendor) },
  };
}

/** The instruction that precedes the text in a small call of this kind. */
function instructionFor(kind: CallKind): string {
  return promptText(`roles/small-calls/${kind}`, {});
}

/** The answer's form as a JSON Schema that every vendor accepts; lengths are checked when the answer is there. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return plain;
}
