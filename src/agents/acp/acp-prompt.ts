import { outputRequest } from '../output-request.ts';
import type { AcpInput } from './acp-input.ts';

/** A piece of a prompt. */
export type TextBlock = { type: 'text'; text: string };

/** What the agent is asked: the prompt letter for letter, then what is below it in rank, each a piece of its own. */
export function promptBlocks(prompt: string, order: AcpInput, agentName: string): TextBlock[] {
  return [prompt, nativeText(order, agentName), order.instructions, outputRequest(order.outputSchema)]
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'text', text }));
}

/** Who is kept from the repository's settings is kept from its instructions with them; others read theirs themselves. */
function nativeText({ native }: AcpInput, agentName: string): string {
  if (/claude/i.test(agentName)) return native['CLAUDE.md'] ?? native['AGENTS.md'] ?? '';
  return /opencode/i.test(agentName) ? (native['AGENTS.md'] ?? native['CLAUDE.md'] ?? '') : '';
}

/** The servers of tools in the words of the protocol; those by address only where the agent can reach them. */
export function mcpServers({ mcp }: AcpInput, canHttp: boolean): object[] {
  const pairs = (record: Record<string, string>) => Object.entries(record).map(([name, value]) => ({ name, value }));
  return Object.entries(mcp).flatMap(([name, server]): object[] => {
    if (!('url' in server)) return [{ name, command: server.command, args: server.args, env: pairs(server.env) }];
    return canHttp ? [{ type: 'http', name, url: server.url, headers: pairs(server.headers) }] : [];
  });
}
