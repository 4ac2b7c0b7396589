import { outputRequest } from '../final-json.ts';
import type { AcpInput } from './acp-input.ts';

/** A piece of a prompt. */
export type TextBlock = { type: 'text'; text: string };

/** The unchanged prompt, then texts of lower priority, each as its own block. */
export function promptBlocks(prompt: string, input: AcpInput, agentName: string): TextBlock[] {
  return [prompt, nativeText(input, agentName), input.instructions, outputRequest(input.outputSchema)]
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'text', text }));
}

/** Agents that may not read the repository's settings do not read its instructions either; the others read them themselves. */
function nativeText({ native }: AcpInput, agentName: string): string {
  if (/claude/i.test(agentName)) return native['CLAUDE.md'] ?? native['AGENTS.md'] ?? '';
  return /opencode/i.test(agentName) ? (native['AGENTS.md'] ?? native['CLAUDE.md'] ?? '') : '';
}

/** The MCP servers in the form of the protocol; HTTP servers only where the agent supports them. */
export function mcpServers({ mcp }: AcpInput, canHttp: boolean): object[] {
  const pairs = (record: Record<string, string>) => Object.entries(record).map(([name, value]) => ({ name, value }));
  return Object.entries(mcp).flatMap(([name, server]): object[] => {
    if (!('url' in server)) return [{ name, command: server.command, args: server.args, env: pairs(server.env) }];
    return canHttp ? [{ type: 'http', name, url: server.url, headers: pairs(server.headers) }] : [];
  });
}
