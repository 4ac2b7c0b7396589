import { z } from 'zod';
import type { AgentEvent, AgentReader } from '../agent.ts';
import { claudeReader } from '../claude/claude-reader.ts';

const Id = z.union([z.string(), z.number()]).transform(String);

/** A tool call as many programs print it, one JSON object on a line. */
const ToolCall = z.object({
  type: z.string().regex(/^tool[-_](use|call)$/),
  id: Id.optional(),
  tool_id: Id.optional(),
  name: z.string().optional(),
  tool: z.string().optional(),
  tool_name: z.string().optional(),
  input: z.unknown().optional(),
  args: z.unknown().optional(),
  arguments: z.unknown().optional(),
  parameters: z.unknown().optional(),
});

/** The result of a tool call in the same form. */
const ToolResult = z.object({
  type: z.string().regex(/^tool[-_]result$/),
  id: Id.optional(),
  tool_id: Id.optional(),
  output: z.unknown().optional(),
  content: z.unknown().optional(),
  result: z.unknown().optional(),
  is_error: z.boolean().optional(),
  isError: z.boolean().optional(),
  status: z.string().optional(),
});

/** A command in the stream of `codex exec --json`. */
const CodexCommand = z.object({
  type: z.enum(['item.started', 'item.completed']),
  item: z.object({
    id: Id,
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().optional(),
    exit_code: z.number().nullish(),
  }),
});

/** What is shown of a wrapped Claude; its session and usage are not those of the command. */
const SHOWN: ReadonlySet<AgentEvent['type']> = new Set([
  'text',
  'reasoning',
  'tool-call',
  'tool-result',
  'file-change',
]);

/** What a program that prints Claude's lines may leave out. */
const UNSTATED = { id: '', model: '' };

/** Reads the tool calls of a program whose lines are those of a known stream; undefined for any other line. */
export function knownEvents(workspace: string): (line: Record<string, unknown>) => AgentEvent[] | undefined {
  const claude: AgentReader = claudeReader(workspace);
  return (line) => {
    if (isClaude(line)) {
      const message = { ...UNSTATED, ...line.message };
      const events = claude.line('stdout', JSON.stringify({ ...line, message }));
      if (events.every(({ type }) => type !== 'unknown')) return events.filter(({ type }) => SHOWN.has(type));
    }
    const event = callOf(line) ?? resultOf(line) ?? codexEvent(line);
    return event === undefined ? undefined : [event];
  };
}

function isClaude(line: Record<string, unknown>): line is { type: string; message: object } {
  const { type, message } = line;
  return (type === 'assistant' || type === 'user') && typeof message === 'object' && message !== null;
}

function callOf(line: Record<string, unknown>): AgentEvent | undefined {
  const { data: call } = ToolCall.safeParse(line);
  const name = call?.name ?? call?.tool ?? call?.tool_name;
  if (call === undefined || name === undefined) return undefined;
  const input = call.input ?? call.args ?? call.arguments ?? call.parameters ?? {};
  return { type: 'tool-call', id: call.id ?? call.tool_id ?? '', name, input };
}

function resultOf(line: Record<string, unknown>): AgentEvent | undefined {
  const { data: result } = ToolResult.safeParse(line);
  if (result === undefined) return undefined;
  const isError = result.is_error ?? result.isError ?? (result.status === 'error' || result.status === 'failed');
  const output = textOf(result.output ?? result.content ?? result.result);
  return { type: 'tool-result', id: result.id ?? result.tool_id ?? '', output, isError };
}

function codexEvent(line: Record<string, unknown>): AgentEvent | undefined {
  const { data } = CodexCommand.safeParse(line);
  if (data === undefined) return undefined;
  const { id, command, aggregated_output = '', exit_code } = data.item;
  return data.type === 'item.started'
    ? { type: 'tool-call', id, name: 'shell', input: { command } }
    : { type: 'tool-result', id, output: aggregated_output, isError: (exit_code ?? 0) !== 0 };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
