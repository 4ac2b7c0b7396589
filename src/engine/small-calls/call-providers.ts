import type { AgentCapabilities } from '../../agents/agent.ts';
import { moneyText } from '../../core/view/amounts.ts';
import type { ModelAnswer } from '../../model-apis/model-api.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { askAgent, instructionFor, jsonSchemaOf, type Question } from './ask-agent.ts';

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
  return [...new Set([...Object.values(ledger.state.start.agents), ...config.routing.order])];
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
