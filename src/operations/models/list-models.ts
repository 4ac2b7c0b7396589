import { z } from 'zod';
import type { History } from '../../core/models/history.ts';
import { modelFor } from '../../core/models/tier.ts';
import { accountName } from '../../core/schedule/account.ts';
import { AgentStatus } from '../../schema/document.ts';
import { operation } from '../operation.ts';
import { limitEnd } from './pick-agent.ts';
import { type AgentsView, type AgentView, viewAgents } from './view-agents.ts';

/** Lists the agents: whether they are usable, their models and logins, rate limits, and the results of their work. */
export const listModels = operation({
  name: 'list-models',
  where: 'anywhere',
  summary: 'List agents with their models, logins, rate limits and results',
  http: 'GET /api/models',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.array(AgentStatus),
  run: async (app, { dir }) => {
    const view = await viewAgents(app, dir);
    return view.agents.map((agent) => statusOf(view, agent));
  },
});

function statusOf(view: AgentsView, { name, capabilities: _, ...agent }: AgentView): AgentStatus {
  const { config, ccswitch, rateLimits, now } = view;
  const settings = config.agents[name];
  const model = (tier: 'light' | 'standard' | 'heavy') => modelFor(settings, tier) ?? null;
  const accounts = Object.keys(settings?.accounts ?? {});
  return {
    agent: name,
    ...agent,
    models: { light: model('light'), standard: model('standard'), heavy: model('heavy') },
    accounts: accounts.map((account) => ({ name: account, restsUntil: limitEnd(view, accountName(name, account)) })),
    restsUntil: limitEnd(view, name),
    resting: [null, ...accounts].flatMap((account) => {
      const prefix = `${accountName(name, account)}#`;
      const limited = Object.entries(rateLimits).filter(([of, until]) => of.startsWith(prefix) && until > now);
      return limited.map(([of, until]) => ({
        account,
        family: of.slice(prefix.length),
        until: new Date(until).toISOString(),
      }));
    }),
    ccswitch: { on: ccswitch.on, note: ccswitch.note, profiles: ccswitch.byAgent[name] ?? [] },
    quality: qualityOf(view.history, name),
  };
}

/** The results of an agent's work in all runs that have ended. */
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
