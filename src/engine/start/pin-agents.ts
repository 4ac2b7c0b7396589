import { BUILT_IN, isSimulated, isUserProgram, REHEARSAL } from '../../agents/agent-kinds.ts';
import type { SettingsChange } from '../../core/run/changed-settings.ts';
import { withoutValues } from '../../core/run/recorded-config.ts';
import { AppError } from '../../errors.ts';
import { requireRole } from '../../roles/load.ts';
import type { Config } from '../../schema/config.ts';
import type { RunStart } from '../../schema/event.ts';
import type { StartOptions } from '../../schema/request.ts';
import type { EngineContext, Implementations, PinnedChoice } from '../loop/context.ts';
import { settingsRoot } from './open-run.ts';
import { examineAgent } from './usable-agents.ts';

type Choices = Pick<StartOptions, 'dir' | 'agents' | 'rehearse' | 'scenario'>;

/** The settings with the agents of a run, and those that the user named. */
type PinnedAgentChoices = {
  config: Config;
  /** Lists of agents on the command line, by role or `*`. */
  byRole: Record<string, string>;
  open: string[];
  /** The roles that the command line names. */
  requestedRoles: string[];
};

/**
 * The agents of the run: requested ones come first, in order; a role may have its own. In a rehearsal every agent is scripted,
 * whichever the settings, the command or a task select. `open` are the agents whose order the user did not set. With `roles`, the
 * command line may name no other role.
 */
export function pinChoices(
  parts: Pick<Implementations, 'pin'>,
  what: { config: Config; options: Choices; root: string; roles?: readonly string[] },
): PinnedAgentChoices {
  const { config, options, root, roles } = what;
  const rehearses = options.rehearse || options.scenario !== undefined;
  const ofCommand = [...options.agents, ...(rehearses ? [REHEARSAL] : [])];
  // A rehearsal starts no program that only the settings name.
  const ofSettings = Object.entries(config.roles).flatMap(([role, { agent }]) =>
    agent === undefined || (rehearses && agent.startsWith('command:')) ? [] : [`${role}=${agent}`],
  );
  const { dir, scenario } = options;
  const choices = [...ofCommand, ...ofSettings];
  const pinned = parts.pin({ config, dir, root, choices, rehearse: rehearses, scenario });
  const requested = pinned.choices.slice(0, options.agents.length);
  const requestedRoles = requested.flatMap(({ role }) => role ?? []);
  if (roles !== undefined) for (const role of requestedRoles) requireRole(role, roles);
  const isNamed = requested.some(({ role, agents }) => role === undefined && agents.length > 0);
  const chosen = isNamed ? requested : pinned.choices.slice(0, ofCommand.length);
  const byRole = agentsByRole(chosen);
  const order = orderOf(config, pinned, chosen);
  if (order.length === 0) {
    throw new AppError(
      'AGENT_MISSING',
      `No agent is configured and none is installed: install one of ${BUILT_IN.join(', ')}, name a program with --agent command:<program>, or try --rehearse`,
    );
  }
  const open = byRole['*'] === undefined ? order.filter((name) => !config.routing.order.includes(name)) : [];
  const set = rolesWithAgents(config.roles, agentsByRole(pinned.choices.slice(ofCommand.length)));
  const routing = { ...config.routing, order };
  return { config: { ...config, agents: pinned.agents, roles: set, routing }, byRole, open, requestedRoles };
}

/** The agents of each role, and of all as `*`, the best first, separated by commas. */
function agentsByRole(choices: PinnedChoice['choices']): Record<string, string> {
  const byRole: Record<string, string[]> = {};
  for (const { role = '*', agents } of choices)
    if (agents.length > 0) byRole[role] = [...(byRole[role] ?? []), ...agents];
  return Object.fromEntries(Object.entries(byRole).map(([role, names]) => [role, [...new Set(names)].join(',')]));
}

/** The settings of roles with the names of the agents that their texts resolve to. */
function rolesWithAgents(roles: Config['roles'], byRole: Record<string, string>): Config['roles'] {
  return Object.fromEntries(
    Object.entries(roles).map(([role, { agent: _, ...others }]) => {
      const agent = byRole[role];
      return [role, agent === undefined ? others : { ...others, agent }];
    }),
  );
}

/** Agents that a person chooses for a retry, and the folder in which programs are named. */
export type AgentRequest = { agents: string[]; dir: string };

/** The chosen agents of a recorded run, with their current settings; one that is not usable is rejected. */
export async function chooseAgents(
  ctx: Pick<EngineContext, 'implementations' | 'hosts'>,
  start: RunStart,
  { agents: choices, dir }: AgentRequest,
): Promise<NonNullable<SettingsChange['agents']>> {
  const root = settingsRoot(start);
  const isRehearsal = Object.values(start.config.agents).some(({ kind }) => isSimulated(kind));
  const current = isRehearsal ? start.config : await ctx.implementations.config(root);
  const config = { ...current, agents: { ...start.config.agents, ...current.agents } };
  const pinned = ctx.implementations.pin({ config, dir, root, choices, rehearse: false, scenario: undefined });
  for (const { role } of pinned.choices) if (role !== undefined) requireRole(role, Object.keys(start.roles));
  const names = new Set(pinned.choices.flatMap(({ agents }) => agents));
  const chosen = Object.fromEntries(Object.entries(pinned.agents).filter(([name]) => names.has(name)));
  const real = Object.entries(chosen).find(([, { kind }]) => !isSimulated(kind) && !isUserProgram(kind));
  if (isRehearsal && real !== undefined)
    throw new AppError('REFUSED', `Run ${start.run} is a rehearsal, in which the agent ${real[0]} is not started`);
  const withLogins = await ctx.implementations.withLogins({ ...config, agents: chosen });
  await requireAvailable(ctx, withLogins, { ...start.project, root });
  const byRole = agentsByRole(pinned.choices);
  const order = pinned.choices.flatMap(({ role, agents }) => (role === undefined ? agents : []));
  return { settings: withoutValues(withLogins).agents, order, byRole };
}

async function requireAvailable(
  ctx: Pick<EngineContext, 'implementations' | 'hosts'>,
  config: Config,
  project: RunStart['project'],
): Promise<void> {
  for (const agent of ctx.implementations.agents({ config, project }).values()) {
    const { ok, detail, nextStep } = await examineAgent(ctx, agent, config);
    if (ok) continue;
    const step = nextStep === undefined ? '' : ` (${nextStep})`;
    throw new AppError('AGENT_MISSING', `The agent ${agent.name} is not usable here: ${detail}${step}`);
  }
}

/** Agents that were named for all roles are the only ones; otherwise the user's order comes first. */
function orderOf(config: Config, pinned: PinnedChoice, choices: PinnedChoice['choices']): string[] {
  const chosen = choices.flatMap(({ role, agents }) => (role === undefined ? agents : []));
  const ofOneRole = new Set(pinned.choices.flatMap(({ role, agents }) => (role === undefined ? [] : agents)));
  const isForOneRole = (name: string) => {
    const agent = config.agents[name] === undefined && ofOneRole.has(name) ? pinned.agents[name] : undefined;
    return agent !== undefined && (isUserProgram(agent.kind) || agent.model !== undefined);
  };
  const all = Object.keys(pinned.agents);
  const others = [...all.filter((name) => !isForOneRole(name)), ...all];
  const order = chosen.length > 0 ? chosen : [...config.routing.order, ...others];
  return [...new Set(order)].filter((name) => pinned.agents[name] !== undefined);
}
