import { isSimulated, isUserProgram } from '../../agents/agent-kinds.ts';
import type { SettingsChange } from '../../core/run/changed-settings.ts';
import { withoutValues } from '../../core/run/recorded-config.ts';
import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { RunStart } from '../../schema/event.ts';
import type { StartOptions } from '../../schema/request.ts';
import type { EngineContext, Implementations, PinnedChoice } from '../loop/context.ts';
import { settingsRoot } from './open-run.ts';

type Choices = Pick<StartOptions, 'dir' | 'agents' | 'rehearse' | 'scenario'>;

/**
 * The agents of the run: requested ones come first, in order; a role may have its own. In a rehearsal every agent is scripted,
 * whichever the settings, the command or a task select. `open` are the agents whose order the user did not set.
 */
export function pinChoices(
  parts: Pick<Implementations, 'pin'>,
  what: { config: Config; options: Choices; root: string },
): { config: Config; byRole: Record<string, string>; open: string[] } {
  const { config, options, root } = what;
  const rehearses = options.rehearse || options.scenario !== undefined;
  const choices = [...options.agents, ...(rehearses ? ['rehearsal'] : [])];
  const { dir, scenario } = options;
  const pinned = parts.pin({ config, dir, root, choices, rehearse: rehearses, scenario });
  const byRole: Record<string, string> = {};
  for (const { role, agents } of pinned.choices) if (agents[0] !== undefined) byRole[role ?? '*'] ??= agents[0];
  const order = orderOf(config, pinned);
  if (order.length === 0) {
    throw new AppError(
      'AGENT_MISSING',
      'No agent is configured and none is installed: install claude, codex or gemini, name a program with --agent command:<program>, or try --rehearse',
    );
  }
  const isChosen = pinned.choices.some(({ role }) => role === undefined);
  const open = isChosen ? [] : order.filter((name) => !config.routing.order.includes(name));
  return { config: { ...config, agents: pinned.agents, routing: { ...config.routing, order } }, byRole, open };
}

/** Agents that a person chooses for a retry, and the folder in which programs are named. */
export type AgentRequest = { agents: string[]; dir: string };

/** The chosen agents of a recorded run, with their current settings; one that is not usable is rejected. */
export async function chooseAgents(
  ctx: Pick<EngineContext, 'implementations'>,
  start: RunStart,
  { agents: choices, dir }: AgentRequest,
): Promise<NonNullable<SettingsChange['agents']>> {
  const root = settingsRoot(start);
  const isRehearsal = Object.values(start.config.agents).some(({ kind }) => isSimulated(kind));
  const current = isRehearsal ? start.config : await ctx.implementations.config(root);
  const config = { ...current, agents: { ...start.config.agents, ...current.agents } };
  const pinned = ctx.implementations.pin({ config, dir, root, choices, rehearse: false, scenario: undefined });
  const names = new Set(pinned.choices.flatMap(({ agents }) => agents));
  const chosen = Object.fromEntries(Object.entries(pinned.agents).filter(([name]) => names.has(name)));
  const real = Object.entries(chosen).find(([, { kind }]) => !isSimulated(kind) && !isUserProgram(kind));
  if (isRehearsal && real !== undefined)
    throw new AppError('REFUSED', `Run ${start.run} is a rehearsal, in which the agent ${real[0]} is not started`);
  const withLogins = await ctx.implementations.withLogins({ ...config, agents: chosen });
  await requireAvailable(ctx, withLogins, { ...start.project, root });
  const byRole: Record<string, string> = {};
  for (const { role, agents } of pinned.choices) if (agents[0] !== undefined) byRole[role ?? '*'] ??= agents[0];
  const order = pinned.choices.flatMap(({ role, agents }) => (role === undefined ? agents : []));
  return { settings: withoutValues(withLogins).agents, order, byRole };
}

async function requireAvailable(
  { implementations }: Pick<EngineContext, 'implementations'>,
  config: Config,
  project: RunStart['project'],
): Promise<void> {
  for (const agent of implementations.agents({ config, project }).values()) {
    const { ok, detail, nextStep } = await agent.available();
    if (ok) continue;
    const step = nextStep === undefined ? '' : ` (${nextStep})`;
    throw new AppError('AGENT_MISSING', `The agent ${agent.name} is not usable here: ${detail}${step}`);
  }
}

function orderOf(config: Config, pinned: PinnedChoice): string[] {
  const chosen = pinned.choices.flatMap(({ role, agents }) => (role === undefined ? agents : []));
  const order = [...chosen, ...config.routing.order, ...(chosen.length === 0 ? Object.keys(pinned.agents) : [])];
  return [...new Set(order)].filter((name) => pinned.agents[name] !== undefined);
}
