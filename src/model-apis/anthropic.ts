import { z } from 'zod';
import { Count, pricedAnswer } from './answer.ts';
import { ANSWER_TOOL, MAX_ANSWER_TOKENS, type ModelApi } from './model-api.ts';
import { sendOnce } from './request.ts';

const VERSION = '2023-06-01';
const Message = z.looseObject({
  model: z.string().optional(),
  stop_reason: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), name: z.string().optional(), input: z.unknown().optional() })),
  usage: z
    .looseObject({
      input_tokens: Count,
      output_tokens: Count,
      cache_read_input_tokens: Count.nullish(),
      cache_creation_input_tokens: Count.nullish(),
    })
    .optional()
    .catch(undefined),
});

/** Anthropic's Messages API. */
export const anthropicApi: ModelApi = {
  vendor: 'anthropic',
  hasKey: (env) => Boolean(env.ANTHROPIC_API_KEY),
  async request({ model, system, text, schema }, options, signal) {
    const { env } = options;
    const base = (env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com').replace(/\/+$/, '');
    const reply = await sendOnce(
      {
        url: `${base}/v1/messages`,
        headers: { 'x-api-key': env.ANTHROPIC_API_KEY ?? '', 'anthropic-version': VERSION },
        body: {
          model,
          max_tokens: MAX_ANSWER_TOKENS,
          system,
          messages: [{ role: 'user', content: text }],
          tools: [{ name: ANSWER_TOOL, description: 'Give the answer.', input_schema: schema }],
          tool_choice: { type: 'tool', name: ANSWER_TOOL },
        },
      },
      options,
      signal,
    );
    if (reply.kind === 'failed') return reply;
    const { data } = Message.safeParse(reply.body);
    if (data === undefined)
      return { kind: 'failed', problem: 'it answered in an unexpected format', usage: { kind: 'unknown' } };
    const { usage } = data;
    return pricedAnswer({
      output: data.content.find(({ type, name }) => type === 'tool_use' && name === ANSWER_TOOL)?.input,
      model: data.model ?? model,
      stop: data.stop_reason ?? 'no reason given',
      tokens: usage && {
        inputTokens: usage.input_tokens,
        cachedTokens: usage.cache_read_input_tokens ?? 0,
        writtenTokens: usage.cache_creation_input_tokens ?? 0,
        outputTokens: usage.output_tokens,
      },
    });
  },
};
