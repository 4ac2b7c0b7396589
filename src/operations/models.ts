import { qualityByAgent } from '../core/quality.ts';
import { accountName, candidatesFor, pickAgent } from '../core/route.ts';
import { modelFor } from '../core/tier.ts';
import type { AgentStanding } from '../schema/document.ts';
import type { Operation } from './operation.ts';
import type { AgentsView, AgentView } from './ports.ts';

/** Lists the agents: whether they could work, their models and logins, who rests, and what became of their work. */
export const listModels: Operation<'list-models'> = async (ports, { dir }) => {
  const view = await ports.agents(dir, []);
  const quality = qualityByAgent(ports.runs.ids().map((id) => ports.runs.state(id)));
  return view.agents.map((agent) => ({
    ...standing(view, agent),
    quality: quality[agent.name] ?? { attempts: 0, landed: 0, cost: 0 },
  }));
};

/** Says which agent and model a role would get now, and why, without starting anything. */
export const pickModel: Operation<'pick-model'> = async (ports, { dir, role, agents }) => {
  const { config, byRole, resting, now, ...view } = await ports.agents(dir, agents);
  const wanted = { config, agents: byRole, role };
  const able = view.agents.filter(({ ok }) => ok).map(({ name }) => name);
  const unable = Object.fromEntries(
    view.agents.filter(({ ok }) => !ok).map(({ name }) => [name, Number.MAX_SAFE_INTEGER]),
  );
  const choice = pickAgent(wanted, { resting: { ...resting, ...unable }, busy: {}, maxParallel: {} }, now);
  const tier = config.roles[role]?.tier ?? 'standard';
  const candidates = candidatesFor(wanted).map((agent) => ({
    agent,
    ok: able.includes(agent),
    detail: detailOf(view.agents, agent),
  }));
  if (choice.kind === 'later') {
    const because = candidates.some(({ ok }) => ok) ? choice.because : 'no agent can work here now';
    return { role, agent: null, account: null, tier, model: null, because, candidates };
  }
  const model = modelFor(config.agents[choice.agent], tier) ?? null;
  return {
    role,
    agent: choice.agent,
    account: choice.account ?? null,
    tier,
    model,
    because: choice.because,
    candidates,
  };
};

function standing({ config, resting, now }: AgentsView, { name, ...agent }: AgentView): Omit<AgentStanding, 'quality'> {
  const settings = config.agents[name];
  const until = (account: string) =>
    (resting[account] ?? 0) > now ? new Date(resting[account] ?? 0).toISOString() : null;
  const model = (tier: 'light' | 'standard' | 'heavy') => modelFor(settings, tier) ?? null;
  return {
    agent: name,
    ...agent,
    models: { light: model('light'), standard: model('standard'), heavy: model('heavy') },
    accounts: Object.keys(settings?.accounts ?? {}).map((account) => ({
      name: account,
      restsUntil: until(accountName(name, account)),
    })),
    restsUntil: until(name),
  };
}

function detailOf(agents: readonly AgentView[], name: string): string {
  return agents.find((agent) => agent.name === name)?.detail ?? 'not configured';
}
