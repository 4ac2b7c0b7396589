import type { AgentsView, AgentView } from '../../app/port-interfaces.ts';
import type { History } from '../../core/models/history.ts';
import { rolesWithResults } from '../../core/models/ranking.ts';
import { scoreOf } from '../../core/models/score.ts';
import { modelFor, modelsOf, openTier } from '../../core/models/tier.ts';
import { accountName } from '../../core/schedule/account.ts';
import { candidatesFor, pickAgent, type RoutingRequest } from '../../core/schedule/route.ts';
import type { AgentPick, AgentStatus } from '../../schema/document.ts';
import type { Operation } from '../operation.ts';

/** The roles that recipes ask for. */
const ROLES = ['plan', 'implement', 'verify', 'fix', 'review', 'resolve', 'repair', 'analyze'];

/** Lists the agents: whether they could work, their models and logins, who rests, and what became of their work. */
export const listModels: Operation<'list-models'> = async (ports, { dir }) => {
  const view = await ports.agents(dir, []);
  return view.agents.map((agent) => standing(view, agent));
};

/** Says which agent and model a role would get now, and why, without starting anything. */
export const pickModel: Operation<'pick-model'> = async (ports, { dir, role, agents, ...rehearsal }) =>
  pick(await ports.agents(dir, agents, rehearsal), role);

/** Says the same of every role that recipes ask for, that the settings name, or that has results. */
export const planRoutes: Operation<'plan-routes'> = async (ports, { dir }) => {
  const view = await ports.agents(dir, []);
  const { roles, routing } = view.config;
  const named = [...Object.keys(roles), ...Object.keys(routing.prefer), ...rolesWithResults(view.history)];
  return [...new Set([...ROLES, ...named])].map((role) => {
    const { agent, account, model, because, candidates } = pick(view, role);
    return { role, agent, account, model, because, order: candidates.map((candidate) => candidate.agent) };
  });
};

function pick(view: AgentsView, role: string): AgentPick {
  const { config, byRole, ranking, resting, now } = view;
  const unable = Object.fromEntries(view.agents.flatMap(({ name, ok, detail }) => (ok ? [] : [[name, detail]])));
  const wanted: RoutingRequest = { config, agents: byRole, role, ranking, unable };
  const tier = config.roles[role]?.tier ?? 'standard';
  const candidates = candidatesFor(wanted).map((agent) => candidateOf(view, role, agent));
  const choice = pickAgent(wanted, { rateLimited: resting, busy: {}, maxParallel: {} }, now);
  if (choice.kind === 'later' || unable[choice.agent] !== undefined) {
    const because = candidates.some(({ ok }) => ok) ? choice.because : 'no agent can work here now';
    return { role, agent: null, account: null, tier, model: null, because, candidates };
  }
  const open = openTier(config.agents[choice.agent], tier, choice.closed ?? []) ?? tier;
  return {
    role,
    agent: choice.agent,
    account: choice.account ?? null,
    tier: open,
    model: modelFor(config.agents[choice.agent], open) ?? null,
    because: open === tier ? choice.because : `${choice.because}; ${open} because ${choice.closed?.join(', ')} rests`,
    candidates,
  };
}

function candidateOf(view: AgentsView, role: string, agent: string): AgentPick['candidates'][number] {
  const { config, history, project } = view;
  const found = view.agents.find(({ name }) => name === agent);
  const { score, results, because } = scoreOf(
    history,
    { role, agent, models: modelsOf(config.agents[agent]) },
    project,
  );
  return {
    agent,
    kind: found?.kind ?? null,
    ok: found?.ok ?? false,
    detail: found?.detail ?? 'not configured',
    restsUntil: restEnd(view, agent),
    score,
    results,
    because,
  };
}

function standing(view: AgentsView, { name, capabilities: _, ...agent }: AgentView): AgentStatus {
  const { config, ccswitch, resting, now } = view;
  const settings = config.agents[name];
  const model = (tier: 'light' | 'standard' | 'heavy') => modelFor(settings, tier) ?? null;
  const accounts = Object.keys(settings?.accounts ?? {});
  return {
    agent: name,
    ...agent,
    models: { light: model('light'), standard: model('standard'), heavy: model('heavy') },
    accounts: accounts.map((account) => ({ name: account, restsUntil: restEnd(view, accountName(name, account)) })),
    restsUntil: restEnd(view, name),
    resting: [null, ...accounts].flatMap((account) => {
      const prefix = `${accountName(name, account)}#`;
      const closed = Object.entries(resting).filter(([of, until]) => of.startsWith(prefix) && until > now);
      return closed.map(([of, until]) => ({ account, family: of.slice(prefix.length), until: textOf(until) }));
    }),
    ccswitch: { on: ccswitch.on, note: ccswitch.note, profiles: ccswitch.byAgent[name] ?? [] },
    quality: qualityOf(view.history, name),
  };
}

function restEnd({ resting, now }: AgentsView, account: string): string | null {
  const until = resting[account] ?? 0;
  return until > now ? textOf(until) : null;
}

function textOf(time: number): string {
  return new Date(time).toISOString();
}

/** What became of an agent's work in all runs that have ended. */
function qualityOf(history: History, agent: string): AgentStatus['quality'] {
  const quality = { attempts: 0, landed: 0, cost: 0 };
  for (const { outcomes } of history.runs.values()) {
    for (const outcome of outcomes) {
      if (outcome.agent !== agent) continue;
      quality.attempts += outcome.attempts;
      quality.landed += outcome.good;
      quality.cost = Math.round((quality.cost + outcome.costUsd) * 1e6) / 1e6;
    }
  }
  return quality;
}
