import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { StartOptions } from '../../schema/request.ts';
import type { Implementations, PinnedChoice } from '../loop/context.ts';

type Choices = Pick<StartOptions, 'dir' | 'agents' | 'rehearse' | 'scenario'>;

/**
 * The agents of the run: requested ones come first, in order; a role may have its own. In a rehearsal every agent is scripted,
 * whichever the settings, the command or a task name. `open` are the agents whose order the user did not set.
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

function orderOf(config: Config, pinned: PinnedChoice): string[] {
  const chosen = pinned.choices.flatMap(({ role, agents }) => (role === undefined ? agents : []));
  const order = [...chosen, ...config.routing.order, ...(chosen.length === 0 ? Object.keys(pinned.agents) : [])];
  return [...new Set(order)].filter((name) => pinned.agents[name] !== undefined);
}
