import { z } from 'zod';
import { CodexTokens } from './codex-rollout.ts';

const Id = z.string();
const Status = z.string().default('');
const ErrorMessage = z.object({ message: z.string() });

const CommandItem = z.object({
  id: Id,
  type: z.literal('command_execution'),
  command: z.string(),
  aggregated_output: z.string().default(''),
  status: Status,
});
const FileItem = z.object({
  id: Id,
  type: z.literal('file_change'),
  changes: z.array(z.object({ path: z.string(), kind: z.enum(['add', 'update', 'delete']) })),
  status: Status,
});
const McpItem = z.object({
  id: Id,
  type: z.literal('mcp_tool_call'),
  server: z.string(),
  tool: z.string(),
  arguments: z.unknown(),
  result: z.object({ content: z.array(z.unknown()).default([]) }).nullish(),
  error: ErrorMessage.nullish(),
  status: Status,
});
const SearchItem = z.object({ id: Id, type: z.literal('web_search'), query: z.string().default('') });

/** A tool call of any kind. */
export const ToolItem = z.union([CommandItem, FileItem, McpItem, SearchItem]);
export type ToolItem = z.infer<typeof ToolItem>;

/** The warning of Codex that an answer came from another model than the requested one. */
const Rerouted = z.string().regex(/^model rerouted: \S+ -> \S+/);

/** The lines of Codex' stdout that are used. An item of type `error` is only a warning. */
export const CodexLine = z.union([
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({ type: z.literal('turn.started') }),
  z.object({ type: z.literal('turn.completed'), usage: CodexTokens.optional().catch(undefined) }),
  z.object({ type: z.literal('turn.failed'), error: ErrorMessage }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({ type: z.enum(['item.started', 'item.updated', 'item.completed']), item: ToolItem }),
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.enum(['agent_message', 'reasoning']), text: z.string() }),
  }),
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.literal('error'), message: Rerouted }),
  }),
]);
export type CodexLine = z.infer<typeof CodexLine>;
