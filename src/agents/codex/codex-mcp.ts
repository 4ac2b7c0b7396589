import type { McpServer } from '../../schema/config/mcp.ts';
import type { AssignmentSettings } from '../agent.ts';
import { freeServerName } from '../user-mcp-servers.ts';
import type { TomlValue } from './codex-arguments.ts';

/** MCP servers in Codex' format, and the variables that hold their secrets. */
export interface CodexMcp {
  servers: Record<string, TomlValue>;
  env: Record<string, string>;
}

/** Our own tools wait up to 90 seconds, and must be there on a busy machine too; by default Codex abandons a call after 60 seconds, and a start after 10. */
const OWN_SERVER = 'manyhands';
const OWN_TIMEOUTS = { tool_timeout_sec: 120, startup_timeout_sec: 60 };

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Values of variables and headers are passed in the environment, because arguments are visible to all users. The user's
 * own servers are disabled; Codex merges entries of the same name, so ours gets another one then.
 */
export function codexMcp(
  { mcp, disallowedTools }: Pick<AssignmentSettings, 'mcp' | 'disallowedTools'>,
  userServers: readonly string[],
): CodexMcp {
  const env: Record<string, string> = {};
  const hide = (value: string): string => {
    const name = `MANYHANDS_MCP_${Object.keys(env).length}`;
    env[name] = value;
    return name;
  };
  const servers: Record<string, TomlValue> = Object.fromEntries(userServers.map((name) => [name, { enabled: false }]));
  for (const [name, server] of Object.entries(mcp)) {
    if (disallowedTools.includes(`mcp__${name}`)) continue;
    const refused = disallowedTools.flatMap((tool) =>
      tool.startsWith(`mcp__${name}__`) ? [tool.slice(`mcp__${name}__`.length)] : [],
    );
    servers[freeServerName(name, userServers)] = {
      ...('url' in server ? remote(server, hide) : local(server, hide)),
      ...(refused.length === 0 ? {} : { disabled_tools: refused }),
      default_tools_approval_mode: 'approve',
      ...(name === OWN_SERVER ? OWN_TIMEOUTS : {}),
    };
  }
  return { servers, env };
}

type Remote = Extract<McpServer, { url: string }>;
type Local = Extract<McpServer, { command: string }>;
type Hide = (value: string) => string;

function remote({ url, headers }: Remote, hide: Hide) {
  const hidden = Object.entries(headers).map(([header, value]) => [header, hide(value)]);
  return { url, ...(hidden.length === 0 ? {} : { env_http_headers: Object.fromEntries(hidden) }) };
}

/** Two servers may need different values of one variable, so each is started by a shell that sets its own. */
function local({ command, args, env }: Local, hide: Hide) {
  const hidden = Object.entries(env).flatMap(([name, value]) =>
    SHELL_NAME.test(name) ? [{ name, variable: hide(value) }] : [],
  );
  const odd = Object.entries(env).filter(([name]) => !SHELL_NAME.test(name));
  const inline = odd.length === 0 ? {} : { env: Object.fromEntries(odd) };
  if (hidden.length === 0) return { command, args, ...inline };
  const assignments = hidden.map(({ name, variable }) => `${name}="$${variable}"`).join(' ');
  return {
    command: '/bin/sh',
    args: [
      '-c',
      `export ${assignments}; unset ${hidden.map(({ variable }) => variable).join(' ')}; exec "$@"`,
      'sh',
      command,
      ...args,
    ],
    env_vars: hidden.map(({ variable }) => variable),
    ...inline,
  };
}
