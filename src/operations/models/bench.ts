import type { AgentsView, AgentView, Ports } from '../../app/port-interfaces.ts';
import type { History } from '../../core/models/history.ts';
import { modelFor } from '../../core/models/tier.ts';
import { freeAccount } from '../../core/schedule/account.ts';
import { AppError } from '../../errors.ts';
import { type BenchItem, BenchKind } from '../../schema/model.ts';
import type { OperationChecked } from '../contracts.ts';
import { requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

type Request = OperationChecked<'plan-bench'>;
type Planned = BenchItem & { choice: string };

/** Says what would be asked of which agent and model, and what it would cost; starts nothing. */
export const planBench: Operation<'plan-bench'> = async (ports, request) => {
  const { items } = await plan(ports, request);
  return items.map(({ choice: _, ...item }) => item);
};

/** Starts one ordinary run for each task that can be asked. */
export const startBench: Operation<'start-bench'> = async (ports, request) => {
  const engine = requireEngine(ports);
  const { items, settings } = await plan(ports, request);
  if (!items.some(({ runs }) => runs)) {
    const reasons = [...new Set(items.map(({ agent, reason }) => `${agent}: ${reason}`))];
    throw new AppError('AGENT_MISSING', `Nothing of this can be carried out here. ${reasons.join('; ')}`, { reasons });
  }
  const started: BenchItem[] = [];
  for (const { choice, ...item } of items) {
    const { kind, most } = item;
    const run = item.runs ? await engine.bench({ kind, agent: choice, dir: request.dir, settings, most }) : null;
    started.push({ ...item, run });
  }
  return started;
};

/** Lists what benchmarks came to. */
export const listBenches: Operation<'list-benches'> = async (ports, { runs }) => {
  const { benches } = ports.history();
  return benches.filter(({ run }) => runs === undefined || runs.includes(run)).map(({ at: _, ...result }) => result);
};

async function plan(ports: Ports, request: Request): Promise<{ items: Planned[]; settings: string }> {
  refuseRoles(request.agents);
  const view = await ports.agents(request.dir, request.agents);
  const asked = request.agents.length === 0 ? view.agents.map(({ name }) => name) : view.config.routing.order;
  const kinds = request.kinds.length === 0 ? BenchKind.options : [...new Set(request.kinds)];
  const items = asked.flatMap((name, index) => {
    const agent = view.agents.find((one) => one.name === name);
    const text = request.agents[index];
    return agent === undefined ? [] : kinds.map((kind) => planOne({ ports, view, agent, kind, text }));
  });
  const count = items.filter(({ runs }) => runs).length;
  const share = (request.budget ?? Number.POSITIVE_INFINITY) / Math.max(count, 1);
  return { items: items.map((item) => ({ ...item, most: Math.min(item.most, share) })), settings: view.root };
}

type One = { ports: Ports; view: AgentsView; agent: AgentView; kind: BenchKind; text: string | undefined };

function planOne({ ports, view, agent, kind, text }: One): Planned {
  const { name } = agent;
  const model = modelFor(view.config.agents[name], 'standard') ?? null;
  const reason = ports.bench.unsupported(kind, agent.capabilities) ?? whyNot(view, agent) ?? null;
  const named = model === null ? name : `${name}:${model}`;
  return {
    agent: name,
    model,
    kind,
    task: ports.bench.title(kind),
    runs: reason === null,
    reason,
    estimate: averageCost(view.history, { name, model, kind }) ?? ports.bench.estimate(kind, model) ?? null,
    most: ports.bench.most(kind),
    run: null,
    choice: text?.startsWith('command:') ? text : named,
  };
}

function whyNot({ config, resting, now }: AgentsView, { name, ok, detail }: AgentView): string | undefined {
  if (!ok) return detail;
  const account = freeAccount({ agent: name, config: config.agents[name] }, resting, now);
  return account.kind === 'resting' ? `rests until ${new Date(account.until).toISOString()}` : undefined;
}

/** What it cost before says more than any list. */
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
