import { join } from 'node:path';
import { scoreOf } from '../../core/models/score.ts';
import { modelFor, modelsOf, openTier } from '../../core/models/tier.ts';
import { candidatesFor, pickAgent, type RoutingRequest } from '../../core/schedule/route.ts';
import { loadRole } from '../../roles/load.ts';
import type { Role } from '../../roles/role.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { AgentPick } from '../../schema/document.ts';
import type { AgentsView } from './view-agents.ts';

/** The tier and the access of a role in a project, which decide its model and which agents may have it. */
export type RoleTraits = Pick<Role, 'tier' | 'access'>;

/** The traits of a role of the project; an unknown role is an error that suggests the closest one. */
export async function roleTraits({ root }: Pick<AgentsView, 'root'>, role: string): Promise<RoleTraits> {
  return loadRole(role, { userDir: join(root, '.manyhands', 'roles') });
}

/** The agent and model that a role would get now, and why. */
export function pickFor(
  view: AgentsView,
  {
    role,
    traits,
    ...others
  }: { role: string; traits: RoleTraits | undefined } & Pick<RoutingRequest, 'avoid' | 'verification'>,
): AgentPick {
  const { config, byRole, ranking, rateLimits, now } = view;
  const unable = Object.fromEntries(view.agents.flatMap(({ name, ok, detail }) => (ok ? [] : [[name, detail]])));
  const request: RoutingRequest = { config, agents: byRole, role, access: traits?.access, ranking, unable, ...others };
  const named = config.roles[role]?.tier ?? traits?.tier;
  const tier = named ?? 'standard';
  const candidates = candidatesFor(request).map((agent) => candidateOf(view, role, agent));
  const choice = pickAgent(
    request,
    { rateLimited: rateLimits, busy: {}, maxParallel: {}, spentToday: view.spentToday },
    now,
  );
  if (choice.kind !== 'agent' || unable[choice.agent] !== undefined) {
    const because = candidates.some(({ ok }) => ok) ? choice.because : 'no agent is usable here now';
    return { role, agent: null, account: null, tier, model: null, because, candidates };
  }
  const open = openTier(config.agents[choice.agent], tier, choice.closed ?? []) ?? tier;
  const isByComplexity =
    named === undefined && config.routing.tierByComplexity && hasTiers(config.agents[choice.agent]);
  const because = isByComplexity ? `${choice.because}; the tier depends on the complexity of the task` : choice.because;
  return {
    role,
    agent: choice.agent,
    account: choice.account ?? null,
    tier: open,
    model: modelFor(config.agents[choice.agent], open) ?? null,
    because: open === tier ? because : `${because}; ${open} because ${choice.closed?.join(', ')} is rate-limited`,
    candidates,
  };
}

/** Whether the agent has different models by tier. */
function hasTiers(agent: AgentConfig | undefined): boolean {
  return agent?.model === undefined && new Set(Object.values(agent?.models ?? {})).size > 1;
}

/** When an account is available again; null if it is available now. */
export function limitEnd({ rateLimits, now }: AgentsView, account: string): string | null {
  const until = rateLimits[account] ?? 0;
  return until > now ? new Date(until).toISOString() : null;
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
    restsUntil: limitEnd(view, agent),
    score,
    results,
    because,
  };
}
