import { z } from 'zod';
import { costOf } from '../../agents/prices.ts';
import type { App } from '../../app.ts';
import { BENCH_TASKS, unsupported } from '../../bench/registry.ts';
import type { History } from '../../core/models/history.ts';
import { modelFor } from '../../core/models/tier.ts';
import { freeAccount } from '../../core/schedule/account.ts';
import { momentText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { BenchItem, BenchKind } from '../../schema/model.ts';
import { operation } from '../operation.ts';
import { type AgentsView, type AgentView, viewAgents } from './view-agents.ts';

/** What to measure: by default every kind of task with every agent. */
export const BenchRequest = z.object({
  dir: z.string(),
  agents: z.array(z.string()).default([]),
  kinds: z.array(BenchKind).default([]),
  budget: z.number().positive().optional().describe('Maximum total cost in US dollars.'),
});
type BenchRequest = z.infer<typeof BenchRequest>;

type PlannedBench = BenchItem & { choice: string };

/** Which tasks which agents and models would get, and what that would cost; starts nothing. */
export const planBench = operation({
  name: 'plan-bench',
  where: 'anywhere',
  summary: 'List the tasks that a benchmark would run with which agent, and the expected cost',
  http: 'GET /api/benches/plan',
  allow: ['viewer', 'operator'],
  input: BenchRequest,
  output: z.array(BenchItem),
  run: async (app, request) => {
    const { items } = await planBenches(app, request);
    return items.map(({ choice: _, ...item }) => item);
  },
});

/** The items of a benchmark, and the folder whose settings apply to them. */
export async function planBenches(
  app: App,
  request: BenchRequest,
): Promise<{ items: PlannedBench[]; settings: string }> {
  refuseRoles(request.agents);
  const view = await viewAgents(app, request.dir, { agents: request.agents });
  const names = request.agents.length === 0 ? view.agents.map(({ name }) => name) : view.config.routing.order;
  const kinds = request.kinds.length === 0 ? BenchKind.options : [...new Set(request.kinds)];
  const items = names.flatMap((name, index) => {
    const agent = view.agents.find((one) => one.name === name);
    const text = request.agents[index];
    return agent === undefined ? [] : kinds.map((kind) => planOne({ view, agent, kind, text }));
  });
  const count = items.filter(({ runs }) => runs).length;
  const share = (request.budget ?? Number.POSITIVE_INFINITY) / Math.max(count, 1);
  return { items: items.map((item) => ({ ...item, most: Math.min(item.most, share) })), settings: view.root };
}

type One = { view: AgentsView; agent: AgentView; kind: BenchKind; text: string | undefined };

function planOne({ view, agent, kind, text }: One): PlannedBench {
  const { name } = agent;
  const model = modelFor(view.config.agents[name], 'standard') ?? null;
  const reason = unsupported(kind, agent.capabilities) ?? whyNot(view, agent) ?? null;
  const named = model === null ? name : `${name}:${model}`;
  return {
    agent: name,
    model,
    kind,
    task: BENCH_TASKS[kind].title,
    runs: reason === null,
    reason,
    estimate: averageCost(view.history, { name, model, kind }) ?? listPrice(kind, model) ?? null,
    most: BENCH_TASKS[kind].mostUsd,
    run: null,
    choice: text?.startsWith('command:') ? text : named,
  };
}

function whyNot({ config, rateLimits, now }: AgentsView, { name, ok, detail }: AgentView): string | undefined {
  if (!ok) return detail;
  const account = freeAccount({ agent: name, config: config.agents[name] }, rateLimits, now);
  return account.kind === 'rate-limited' ? `is rate-limited until ${momentText(account.until)}` : undefined;
}

/** The cost by list prices, if the model has one. */
function listPrice(kind: BenchKind, model: string | null): number | undefined {
  const { input, output } = BENCH_TASKS[kind].tokens;
  return model === null ? undefined : costOf(model, { inputTokens: input, cachedTokens: 0, outputTokens: output });
}

/** A measured cost takes precedence over the list price. */
function averageCost(
  { benches }: History,
  of: { name: string; model: string | null; kind: BenchKind },
): number | undefined {
  const before = benches.filter(
    ({ agent, model, kind, verdict }) =>
      agent === of.name && model === of.model && kind === of.kind && verdict !== 'error',
  );
  if (before.length === 0) return undefined;
  const sum = before.reduce((total, { costUsd }) => total + costUsd, 0);
  return Math.round((sum / before.length) * 1e6) / 1e6;
}

function refuseRoles(agents: readonly string[]): void {
  const wrong = agents.find((text) => /^[a-z][a-z0-9-]*=/.test(text));
  if (wrong !== undefined)
    throw new AppError('INPUT_INVALID', `A benchmark has no roles: name an agent, or agent:model, and not ${wrong}`);
  const twice = agents.find((text, index) => agents.indexOf(text) !== index);
  if (twice !== undefined) throw new AppError('INPUT_INVALID', `The agent ${twice} is named twice`);
}
