import type { Agent } from '../../agents/agent.ts';
import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { EngineContext } from '../loop/context.ts';

/** The agents that are not usable when a run starts, and why; `waiting` says that its tasks wait for a host. */
type UnusableAgents = { unable: Record<string, string>; waiting?: string };
type ExaminedAgent = { name: string; ok: boolean; detail: string; nextStep?: string | undefined };
type Examining = Pick<EngineContext, 'hosts' | 'implementations'>;

/** Whether runs with these settings have their attempts performed by hosts. */
export function usesHosts({ hosts }: Pick<EngineContext, 'hosts'>, config: Pick<Config, 'hosts'>): boolean {
  return hosts !== undefined && config.hosts.git !== undefined;
}

/** Whether an agent can work: on this machine, or on one of the hosts that perform the attempts. */
export async function examineAgent({ hosts }: Examining, agent: Agent, config: Config): Promise<ExaminedAgent> {
  const { name } = agent;
  if (hosts === undefined || !usesHosts({ hosts }, config)) return { name, ...(await agent.available()) };
  if (hosts.offers(agent)) return { name, ok: true, detail: 'a host has it' };
  return { name, ok: false, detail: 'no host has it now', nextStep: 'manyhands hosts lists what each one has' };
}

/** The agents that are not usable now, and why. Throws if none is usable here; where hosts perform the attempts, tasks wait for one that has it. */
export async function unusableAgents(
  ctx: Examining,
  { config, byRole }: { config: Config; byRole: Record<string, string> },
  root: string,
): Promise<UnusableAgents> {
  const { order, prefer } = config.routing;
  const set = Object.values(config.roles).flatMap(({ agent }) => agent?.split(',') ?? []);
  const requested = Object.entries(byRole).map(([role, list]) => ({ role, names: list.split(',') }));
  const selected = new Set([
    ...order,
    ...Object.values(prefer).flat(),
    ...requested.flatMap(({ names }) => names),
    ...set,
  ]);
  const all = [...ctx.implementations.agents({ config, project: { id: '', root } }).values()];
  const agents = all.filter(({ name }) => selected.has(name));
  const checked = await Promise.all(agents.map((agent) => examineAgent(ctx, agent, config)));
  const missing = checked.filter(({ ok }) => !ok);
  const reasons = missing.map(
    ({ name, detail, nextStep }) => `${name}: ${detail}${nextStep === undefined ? '' : ` (${nextStep})`}`,
  );
  const isMissing = (name: string) => !checked.some((agent) => agent.name === name && agent.ok);
  const unserved = requested.find(({ names }) => names.every(isMissing));
  const isNoneUsable = order.every(isMissing);
  if (usesHosts(ctx, config) && (isNoneUsable || unserved !== undefined)) {
    const names = isNoneUsable ? order : (unserved?.names ?? []);
    return {
      unable: {},
      waiting: `No host has ${names.join(' or ')} now: tasks wait until one does (manyhands hosts).`,
    };
  }
  if (isNoneUsable)
    throw new AppError('AGENT_MISSING', `No agent is usable here. ${reasons.join('; ')}`, { missing: reasons });
  if (unserved !== undefined)
    throw new AppError('AGENT_MISSING', `No agent is usable for the role ${unserved.role}. ${reasons.join('; ')}`, {
      missing: reasons,
    });
  return { unable: Object.fromEntries(missing.map(({ name, detail }) => [name, detail])) };
}
