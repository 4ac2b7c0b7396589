import type { TaskState } from '../core/state.ts';
import type { McpServer } from '../schema/config/mcp.ts';
import type { Config } from '../schema/config.ts';

/** What a verifier may use besides what every reading agent may: the tools of `verify`, and a browser where it is switched on. */
export function verifierTools(config: Config, task: TaskState): { tools: string[]; mcp: Record<string, McpServer> } {
  if (task.spec.verifies === undefined && task.spec.role !== 'verify') return { tools: [], mcp: {} };
  const { tools, browser } = config.verify;
  if (!browser.enabled) return { tools, mcp: {} };
  const command =
    browser.command === undefined
      ? { command: 'npx', args: ['-y', browser.package, ...browser.args] }
      : { command: browser.command, args: browser.args };
  return { tools: [...tools, `mcp__${browser.name}`], mcp: { [browser.name]: { ...command, env: {} } } };
}
