import { z } from 'zod';

const Tokens = z.object({
  total_tokens: z.number().int().nonnegative(),
  input_tokens: z.number().int().nonnegative(),
  output_tokens: z.number().int().nonnegative(),
  cached: z.number().int().nonnegative().default(0),
});

/** Tokens by model; an invalid amount makes all of them unknown, never the line unreadable. */
const ModelTokens = z
  .object({ models: z.record(z.string(), Tokens) })
  .transform(({ models }) => models)
  .optional()
  .catch(undefined);
export type ModelTokens = NonNullable<z.infer<typeof ModelTokens>>;

const Failed = z.object({ type: z.string(), message: z.string() }).optional().catch(undefined);

/** The result of the whole run; `status` decides, whatever the exit code is. */
const ResultLine = z.object({
  type: z.literal('result'),
  timestamp: z.string().optional(),
  status: z.string(),
  error: Failed,
  stats: ModelTokens,
});
export type ResultLine = z.infer<typeof ResultLine>;

/** The lines of Gemini's stream-json output. */
export const GeminiLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), timestamp: z.string().optional(), session_id: z.string(), model: z.string() }),
  z.object({ type: z.literal('message'), role: z.enum(['user', 'assistant']), content: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_id: z.string(),
    status: z.string(),
    output: z.string().optional(),
    error: Failed,
  }),
  z.object({ type: z.literal('error'), severity: z.string(), message: z.string() }),
  ResultLine,
]);
export type GeminiLine = z.infer<typeof GeminiLine>;
