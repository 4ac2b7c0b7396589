import { z } from 'zod';
import { Count, pricedAnswer } from './answer.ts';
import { ANSWER_TOOL, MAX_ANSWER_TOKENS, type ModelApi } from './model-api.ts';
import { sendOnce } from './request.ts';

const Part = z.looseObject({
  functionCall: z.looseObject({ name: z.string(), args: z.unknown().optional() }).optional(),
});
const Generated = z.looseObject({
  modelVersion: z.string().optional(),
  candidates: z
    .array(
      z.looseObject({
        finishReason: z.string().optional(),
        content: z.looseObject({ parts: z.array(Part).default([]) }).optional(),
      }),
    )
    .default([]),
  usageMetadata: z
    .looseObject({
      promptTokenCount: Count,
      candidatesTokenCount: Count.default(0),
      cachedContentTokenCount: Count.default(0),
      thoughtsTokenCount: Count.default(0),
    })
    .optional()
    .catch(undefined),
});

/** Google's Gemini API. */
export const geminiApi: ModelApi = {
  vendor: 'gemini',
  hasKey: (env) => Boolean(env.GEMINI_API_KEY),
  async request({ model, system, text, schema }, options, signal) {
    const { env } = options;
    const base = (env.GOOGLE_GEMINI_BASE_URL || 'https://generativelanguage.googleapis.com').replace(/\/+$/, '');
    const reply = await sendOnce(
      {
        url: `${base}/v1beta/models/${encodeURIComponent(model)}:generateContent`,
        headers: { 'x-goog-api-key': env.GEMINI_API_KEY ?? '' },
        body: {
          systemInstruction: { parts: [{ text: system }] },
          contents: [{ role: 'user', parts: [{ text }] }],
          generationConfig: { maxOutputTokens: MAX_ANSWER_TOKENS },
          tools: [{ functionDeclarations: [{ name: ANSWER_TOOL, parametersJsonSchema: schema }] }],
          toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [ANSWER_TOOL] } },
        },
      },
      options,
      signal,
    );
    if (reply.kind === 'failed') return reply;
    const { data } = Generated.safeParse(reply.body);
    if (data === undefined)
      return { kind: 'failed', problem: 'it answered in an unexpected format', usage: { kind: 'unknown' } };
    const { usageMetadata: usage, candidates } = data;
    const parts = candidates[0]?.content?.parts ?? [];
    return pricedAnswer({
      output: parts.find(({ functionCall }) => functionCall?.name === ANSWER_TOOL)?.functionCall?.args,
      model: data.modelVersion ?? model,
      stop: candidates[0]?.finishReason ?? 'no reason given',
      tokens: usage && {
        inputTokens: Math.max(0, usage.promptTokenCount - usage.cachedContentTokenCount),
        cachedTokens: usage.cachedContentTokenCount,
        outputTokens: usage.candidatesTokenCount + usage.thoughtsTokenCount,
      },
    });
  },
};
