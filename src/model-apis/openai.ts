import { z } from 'zod';
import { Count, pricedAnswer } from './answer.ts';
import { ANSWER_TOOL, MAX_ANSWER_TOKENS, type ModelApi } from './model-api.ts';
import { sendOnce } from './request.ts';

const Response = z.looseObject({
  model: z.string().optional(),
  status: z.string().optional(),
  output: z.array(z.looseObject({ type: z.string(), name: z.string().optional(), arguments: z.string().optional() })),
  usage: z
    .looseObject({
      input_tokens: Count,
      output_tokens: Count,
      input_tokens_details: z.looseObject({ cached_tokens: Count.default(0) }).prefault({}),
    })
    .optional()
    .catch(undefined),
});

/** OpenAI's Responses API. */
export const openaiApi: ModelApi = {
  vendor: 'openai',
  hasKey: (env) => Boolean(env.OPENAI_API_KEY),
  async request({ model, system, text, schema }, options, signal) {
    const { env } = options;
    const base = (env.OPENAI_BASE_URL || 'https://api.openai.com/v1').replace(/\/+$/, '');
    const reply = await sendOnce(
      {
        url: `${base}/responses`,
        headers: { authorization: `Bearer ${env.OPENAI_API_KEY ?? ''}` },
        body: {
          model,
          max_output_tokens: MAX_ANSWER_TOKENS,
          instructions: system,
          input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
          tools: [{ type: 'function', name: ANSWER_TOOL, description: 'Give the answer.', parameters: schema }],
          tool_choice: { type: 'function', name: ANSWER_TOOL },
          store: false,
        },
      },
      options,
      signal,
    );
    if (reply.kind === 'failed') return reply;
    const { data } = Response.safeParse(reply.body);
    if (data === undefined)
      return { kind: 'failed', problem: 'it answered in an unexpected format', usage: { kind: 'unknown' } };
    const { usage } = data;
    const cachedTokens = usage?.input_tokens_details.cached_tokens ?? 0;
    return pricedAnswer({
      output: argumentsOf(data.output.find(({ type, name }) => type === 'function_call' && name === ANSWER_TOOL)),
      model: data.model ?? model,
      stop: data.status ?? 'no status given',
      tokens: usage && {
        inputTokens: Math.max(0, usage.input_tokens - cachedTokens),
        cachedTokens,
        outputTokens: usage.output_tokens,
      },
    });
  },
};

function argumentsOf(call: { arguments?: string | undefined } | undefined): unknown {
  try {
    return call?.arguments === undefined ? undefined : JSON.parse(call.arguments);
  } catch {
    // Truncated or invalid JSON is reported as an answer in the wrong form.
    return undefined;
  }
}
