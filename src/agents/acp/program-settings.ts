import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { AssignmentSettings } from '../agent.ts';
import { restrictableProgram } from '../agent-kinds.ts';
import { codexMcp } from '../codex/codex-mcp.ts';
import { withGeminiNames } from '../gemini/gemini-tool-names.ts';
import { parseJsonObject } from '../json-object.ts';
import { codexUserServers, freeServerName, opencodeUserServers } from '../user-mcp-servers.ts';

const GEMINI_SETTINGS = '.gemini/settings.json';
const Servers = z.record(z.string(), z.unknown());

/** How a program is started; `mcp` are the servers it has, and `sessionMcp` those of them that its session opens. */
type ProgramSettings = {
  args: string[];
  env: Record<string, string>;
  mcp: AssignmentSettings['mcp'];
  sessionMcp: AssignmentSettings['mcp'];
};

/** Starts a known program without the MCP servers of its user's own settings; servers of ours with such a name get another one. */
export function withoutUserServers(
  config: AgentConfig,
  { own, settings }: { own: Record<string, string>; settings: AssignmentSettings },
): ProgramSettings {
  const { mcp } = settings;
  switch (restrictableProgram(config)) {
    case 'gemini':
      return {
        args: ['--allowed-mcp-server-names', [...Object.keys(mcp), ...trustedServers(settings)].join(',') || 'none'],
        env: own,
        mcp,
        sessionMcp: withGeminiNames(mcp),
      };
    case 'codex': {
      const names = codexUserServers(own.CODEX_HOME ?? join(own.HOME ?? homedir(), '.codex'));
      if (names.length === 0) return { args: [], env: own, mcp, sessionMcp: mcp };
      // The servers of a session would replace those that disable the user's.
      const { servers, env } = codexMcp(settings, names);
      const withServers = Object.entries(servers).map(([name, server]) => [name, withoutApproval(server)]);
      const configured = withJson({ ...own, ...env }, 'CODEX_CONFIG', 'mcp_servers', Object.fromEntries(withServers));
      return { args: [], env: configured, mcp: renamed(mcp, names), sessionMcp: {} };
    }
    case 'opencode': {
      const names = opencodeUserServers(own);
      const disabled = Object.fromEntries(names.map((name) => [name, { enabled: false }]));
      const ours = renamed(mcp, names);
      const env = withJson(own, 'OPENCODE_CONFIG_CONTENT', 'mcp', disabled);
      return { args: [], env, mcp: ours, sessionMcp: ours };
    }
    case 'claude':
    case undefined:
      return { args: [], env: own, mcp, sessionMcp: mcp };
  }
}

/** The servers in settings of the repository that the user trusts. */
function trustedServers({ trusted }: AssignmentSettings): string[] {
  const texts = trusted.filter(({ path }) => path === GEMINI_SETTINGS).map(({ text }) => text);
  return texts.flatMap((text) => Object.keys(Servers.safeParse(parseJsonObject(text)?.mcpServers).data ?? {}));
}

function renamed(mcp: AssignmentSettings['mcp'], userServers: readonly string[]): AssignmentSettings['mcp'] {
  return Object.fromEntries(Object.entries(mcp).map(([name, server]) => [freeServerName(name, userServers), server]));
}

/** Its calls are requested over the protocol, and granted or refused there. */
function withoutApproval(server: unknown): object {
  const entries = typeof server === 'object' && server !== null ? Object.entries(server) : [];
  return Object.fromEntries(entries.filter(([key]) => key !== 'default_tools_approval_mode'));
}

/** Adds entries to a map in the JSON of a variable; those that the user passes in it stay. */
function withJson(
  env: Record<string, string>,
  variable: string,
  key: string,
  added: Record<string, unknown>,
): Record<string, string> {
  const settings = parseJsonObject(env[variable] ?? '{}');
  if (settings === undefined || Object.keys(added).length === 0) return env;
  const map = z.record(z.string(), z.unknown()).safeParse(settings[key]).data;
  return { ...env, [variable]: JSON.stringify({ ...settings, [key]: { ...added, ...map } }) };
}

/** Opencode reports no usage of the call that names a session, so it makes none; settings that the user passes apply besides. */
export function withoutTitles(command: string, env: Record<string, string>): Record<string, string> {
  if (!basename(command).includes('opencode')) return env;
  const settings = parseJsonObject(env.OPENCODE_CONFIG_CONTENT ?? '{}');
  const agents = z.record(z.string(), z.unknown()).safeParse(settings?.agent).data;
  if (settings === undefined || agents?.title !== undefined) return env;
  const agent = { ...agents, title: { disable: true } };
  return { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings, agent }) };
}
