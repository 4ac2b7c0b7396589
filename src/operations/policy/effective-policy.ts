import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadLayers } from '../../config/load.ts';
import type { SettingIgnored } from '../../config/tighten.ts';
import type { RuleList } from '../../core/policy/decide-policy.ts';
import { attemptLists, configuredLists } from '../../core/policy/rule-lists.ts';
import { loadRole } from '../../roles/load.ts';
import type { Config } from '../../schema/config.ts';

export type EffectivePolicy = { lists: RuleList[]; ignored: SettingIgnored[] };

/** The rules for a role under the settings of a project, as every attempt of the role gets them. */
export async function effectivePolicy(env: NodeJS.ProcessEnv, dir: string, role: string): Promise<EffectivePolicy> {
  const { config, ignored } = await loadLayers({ env, dir });
  const { access } = await loadRole(role, { userDir: join(dir, '.manyhands', 'roles') });
  const { tools, scope, mcp, policy } = config;
  const permission = tools.skipPermissions ? 'bypass' : (tools.permissionMode ?? 'acceptEdits');
  const lists = attemptLists({
    access,
    permission: access === 'read' ? 'plan' : permission,
    allowedTools: tools.allowedTools,
    disallowedTools: tools.disallowedTools,
    allowedCli: [...tools.allowedCli, ...checkCommands(config)],
    mcpServers: Object.keys(mcp),
    addDirs: tools.addDirs.map((folder) => folder.replace(/^~(?=\/)/, homedir())),
    scopes: access === 'read' ? [] : [{ ...scope, also: [] }],
    ...configuredLists(policy),
  });
  return { lists, ignored };
}

/** An agent may always run the checks that its work must pass. */
function checkCommands({ checks }: Config): string[] {
  return checks.flatMap((check) => {
    const run = typeof check === 'string' ? check : check.run;
    return typeof run === 'string' ? [run] : [];
  });
}
