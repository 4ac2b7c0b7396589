import { join } from 'node:path';
import { requireKnownAgents } from '../../agents/pin-agents.ts';
import type { ConfigChange, ConfigFileTarget } from '../../config/edit.ts';
import { isPlain, type Plain } from '../../config/merge.ts';
import { requireRole, roleNames } from '../../roles/load.ts';

/** The target of a change that is refused if it newly names a role or an agent that does not exist: no run could use it. */
export function withKnownNames<T extends ConfigFileTarget>(target: T): T {
  const userDir = target.place.dir === undefined ? {} : { userDir: join(target.place.dir, '.manyhands', 'roles') };
  return { ...target, judge: async (change) => judgeNames(change, await roleNames(userDir)) };
}

function judgeNames({ before, after, config }: ConfigChange, roles: readonly string[]): void {
  const agents = [...Object.keys(config.agents), ...Object.keys(mapAt(after, 'agents'))];
  const old = mapAt(before, 'roles');
  for (const [role, setting] of Object.entries(mapAt(after, 'roles'))) {
    if (JSON.stringify(setting) === JSON.stringify(old[role])) continue;
    requireRole(role, roles);
    const agent = isPlain(setting) ? setting.agent : undefined;
    if (typeof agent === 'string') requireKnownAgents(agent, agents);
  }
}

function mapAt(values: Plain, key: string): Plain {
  const value = values[key];
  return isPlain(value) ? value : {};
}
