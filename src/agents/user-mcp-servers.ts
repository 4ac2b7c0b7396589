import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { errorCode } from '../errors.ts';

/** Codex accepts no other names. */
const NAME = /^[\w-]+$/;
const OPENCODE_FILES = ['config.json', 'opencode.json', 'opencode.jsonc'];

/** The MCP servers in the user's settings of Codex; agents do not get them, unless the settings of the run name them. */
export function codexUserServers(home: string): string[] {
  return namesIn(readSettings(join(home, 'config.toml'), parseToml), 'mcp_servers');
}

/** The same for OpenCode. */
export function opencodeUserServers(env: Readonly<Record<string, string | undefined>>): string[] {
  const folder = join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'opencode');
  const files = [
    ...OPENCODE_FILES.map((name) => join(folder, name)),
    ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []),
  ];
  return [...new Set(files.flatMap((file) => namesIn(readSettings(file, parseJson), 'mcp')))];
}

/** The name of a server of ours where the user has one of that name: programs merge both, and the user's is disabled. */
export function freeServerName(name: string, userServers: readonly string[]): string {
  return userServers.includes(name) ? `${name}_attempt` : name;
}

function namesIn(settings: unknown, key: string): string[] {
  const servers = recordOf(recordOf(settings)[key]);
  return Object.keys(servers).filter((name) => NAME.test(name));
}

/** Missing settings are normal; the program itself reports those that it cannot read. */
function readSettings(file: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && (errorCode(error) !== undefined || error.name === 'TomlError')) return {};
    throw error;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
