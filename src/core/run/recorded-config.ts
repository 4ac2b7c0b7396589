import type { AgentConfig } from '../../schema/config/agent.ts';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { Config } from '../../schema/config.ts';

type Variables = Record<string, string>;

/** Values of variables, by the setting that names them. */
export type GivenValues = Record<string, Variables>;

/** The settings as a run records them: variables and headers without their values, which may be secrets. */
export function withoutValues(config: Config): Config {
  return mapVariables(config, (variables) => Object.fromEntries(Object.keys(variables).map((name) => [name, ''])));
}

/**
 * Recorded settings with the current values of their variables, or else those that were given; missing variables are
 * omitted, and so are logins without any.
 */
export function withValues(recorded: Config, current: Config, given: GivenValues = {}): Config {
  return withoutLost(recorded, filled(recorded, current, given));
}

/** The values that an attempt of this agent needs: of its own variables, and of those of MCP servers. */
export function valuesFor(config: Config, agent: string): GivenValues {
  const values: GivenValues = {};
  mapVariables(config, (variables, where) => {
    const isNeeded = where.startsWith('mcp.') || where === `agents.${agent}` || where.startsWith(`agents.${agent}.`);
    if (isNeeded && Object.keys(variables).length > 0) values[where] = variables;
    return variables;
  });
  return values;
}

function withoutLost(recorded: Config, config: Config): Config {
  const agents = Object.entries(config.agents).map(([name, agent]): [string, AgentConfig] => {
    const isLost = (login: string) => {
      const before = recorded.agents[name]?.accounts[login]?.env ?? {};
      const { env = {}, configDir } = agent.accounts[login] ?? {};
      return configDir === undefined && Object.keys(before).length > 0 && Object.keys(env).length === 0;
    };
    const accounts = Object.entries(agent.accounts).filter(([login]) => !isLost(login));
    return [name, { ...agent, accounts: Object.fromEntries(accounts) }];
  });
  return { ...config, agents: Object.fromEntries(agents) };
}

function filled(recorded: Config, current: Config, given: GivenValues): Config {
  const known = new Map<string, Variables>();
  mapVariables(current, (variables, where) => {
    known.set(where, variables);
    return variables;
  });
  return mapVariables(recorded, (variables, where) => {
    const values = { ...given[where], ...known.get(where) };
    return Object.fromEntries(
      Object.keys(variables).flatMap((name) => (name in values ? [[name, values[name] ?? '']] : [])),
    );
  });
}

/** Whether recorded settings name variables whose values must be read again. */
export function hasVariables(config: Config): boolean {
  let found = false;
  mapVariables(config, (variables) => {
    found ||= Object.keys(variables).length > 0;
    return variables;
  });
  return found;
}

function mapVariables(config: Config, change: (variables: Variables, where: string) => Variables): Config {
  const agents = Object.entries(config.agents).map(([name, agent]): [string, AgentConfig] => {
    const accounts = Object.entries(agent.accounts).map(([login, account]) => [
      login,
      { ...account, env: change(account.env, `agents.${name}.accounts.${login}`) },
    ]);
    return [name, { ...agent, env: change(agent.env, `agents.${name}`), accounts: Object.fromEntries(accounts) }];
  });
  const mcp = Object.entries(config.mcp).map(([name, server]): [string, McpServer] => {
    if ('url' in server) return [name, { ...server, headers: change(server.headers, `mcp.${name}`) }];
    return [name, { ...server, env: change(server.env, `mcp.${name}`) }];
  });
  return { ...config, agents: Object.fromEntries(agents), mcp: Object.fromEntries(mcp) };
}
