import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { Assignment, AssignmentSettings } from '../agent.ts';
import type { ClaudeFiles } from './claude-arguments.ts';
import { claudeSettings } from './claude-hooks.ts';

const SETTINGS = '.claude/settings.json';
const MCP = '.mcp.json';

/** Writes the files that are passed to Claude into the attempt's folder, readable only by the user. */
export async function writeClaudeFiles(assignment: Assignment): Promise<ClaudeFiles> {
  const { folder, settings } = assignment;
  const trusted = (path: string) => settings.trusted.find((file) => file.path === path)?.text;
  const write = async (name: string, text: string | undefined): Promise<string[]> => {
    if (text === undefined || text === '') return [];
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return [path];
  };
  const [instructions] = await write('claude-instructions.md', instructionsFor(settings));
  const [obeyed] = await write('claude-settings.json', await claudeSettings(assignment, trusted(SETTINGS)));
  const mcp = [
    ...(await write('claude-mcp.json', mcpConfig(settings.mcp))),
    ...(await write('claude-mcp-trusted.json', trusted(MCP))),
  ];
  return {
    mcp,
    ...(instructions === undefined ? {} : { instructions }),
    ...(obeyed === undefined ? {} : { settings: obeyed }),
  };
}

/** Without setting sources Claude reads no CLAUDE.md, so the base's is passed to it; AGENTS.md replaces a missing one, or is imported. */
function instructionsFor({ instructions, native }: AssignmentSettings): string {
  const own = native['CLAUDE.md'];
  const isImported = own === undefined || /^\s*@(\.\/)?AGENTS\.md\s*$/m.test(own);
  return [own, isImported ? native['AGENTS.md'] : undefined, instructions]
    .filter((text) => text !== undefined && text.trim() !== '')
    .join('\n\n');
}

function mcpConfig(servers: AssignmentSettings['mcp']): string | undefined {
  const entries = Object.entries(servers).map(([name, server]) => [name, mcpServer(server)]);
  return entries.length === 0 ? undefined : JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

function mcpServer(server: McpServer): object {
  return 'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server };
}
