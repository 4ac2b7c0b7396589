import { z } from 'zod';

/** The usage of one model, with Claude's field names. */
export const ModelUsage = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadInputTokens: z.number().int().nonnegative().default(0),
  cacheCreationInputTokens: z.number().int().nonnegative().default(0),
  costUSD: z.number().nonnegative(),
});

/** Usage by model; an invalid amount makes all of it unknown, never the line unreadable. */
const ModelUsages = z.record(z.string(), ModelUsage).optional().catch(undefined);
export type ModelUsages = NonNullable<z.infer<typeof ModelUsages>>;

const Text = z.string().nullish();

const Count = z.number().int().nonnegative().nullish().catch(undefined);
/** The tokens of one model call, as far as they are known when the line is written; the output grows until its end. */
export const CallUsage = z.object({
  input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: Count }).nullish().catch(undefined),
  output_tokens: Count,
});
export type CallUsage = z.infer<typeof CallUsage>;
const LineUsage = CallUsage.nullish().catch(undefined);

const AssistantBlock = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown().optional() }),
  z.object({ type: z.string().transform(() => 'other' as const) }),
]);
export type AssistantBlock = z.infer<typeof AssistantBlock>;

/** A block of a model's answer, or a message of Claude Code itself instead (model `<synthetic>`). */
export const AssistantLine = z.object({
  type: z.literal('assistant'),
  message: z.object({ id: z.string(), model: z.string(), content: z.array(AssistantBlock), usage: LineUsage }),
  parent_tool_use_id: Text,
  timestamp: Text,
  error: Text,
  api_error: Text,
});
export type AssistantLine = z.infer<typeof AssistantLine>;

const ToolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});

/** Results of tools, returned to the model. */
export const UserLine = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.array(ToolResult).min(1) }),
  tool_use_result: z.unknown().optional(),
});
export type UserLine = z.infer<typeof UserLine>;

/** The end of a turn; a program may write several, and the last one counts. */
export const ResultLine = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  result: Text,
  errors: z.array(z.string()).optional().catch(undefined),
  session_id: Text,
  stop_reason: Text,
  terminal_reason: Text,
  api_error: Text,
  api_error_status: z.number().nullish(),
  structured_output: z.unknown().optional(),
  modelUsage: ModelUsages,
  model_usage_since_last_result: ModelUsages,
  permission_denials: z
    .array(z.object({ tool_name: z.string(), tool_use_id: z.string() }))
    .optional()
    .catch(undefined),
});
export type ResultLine = z.infer<typeof ResultLine>;

const InitLine = z.object({ type: z.literal('system'), subtype: z.literal('init'), session_id: z.string() });

const RetryLine = z.object({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  attempt: z.number(),
  max_retries: z.number(),
  retry_delay_ms: z.number(),
  error_status: z.number().nullish(),
  error: Text,
});
export type RetryLine = z.infer<typeof RetryLine>;

const DeniedLine = z.object({
  type: z.literal('system'),
  subtype: z.literal('permission_denied'),
  tool_name: z.string(),
  tool_use_id: z.string(),
  message: Text,
});

/** Progress lines without content. */
const QuietLine = z.object({ type: z.literal('system'), subtype: z.enum(['status', 'thinking_tokens']) });

const LimitLine = z.object({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.object({
    status: z.string(),
    resetsAt: z.number().nullish(),
    rateLimitType: z.string().nullish(),
  }),
});

const MessageStart = z.object({
  type: z.literal('message_start'),
  message: z.object({ id: z.string(), model: z.string().optional(), usage: LineUsage }),
});
const MessageDelta = z.object({ type: z.literal('message_delta'), usage: LineUsage });

/** A part of an answer; the whole answer follows in separate lines. */
const StreamLine = z.object({
  type: z.literal('stream_event'),
  event: z.union([MessageStart, MessageDelta, z.object({ type: z.string().transform(() => 'other' as const) })]),
  parent_tool_use_id: Text,
});

/** The lines of Claude's stream-json output that are understood. */
export const ClaudeLine = z.discriminatedUnion('type', [
  z.discriminatedUnion('subtype', [InitLine, RetryLine, DeniedLine, QuietLine]),
  AssistantLine,
  UserLine,
  ResultLine,
  LimitLine,
  StreamLine,
]);
export type ClaudeLine = z.infer<typeof ClaudeLine>;
