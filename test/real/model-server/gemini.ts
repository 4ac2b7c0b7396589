import { z } from 'zod';
import { type Dialect, frame, pieces } from './dialect.ts';
import { geminiRefusal } from './gemini-refusal.ts';
import type { RecordedRequest, Reply } from './step.ts';

const Parts = z
  .array(z.looseObject({ text: z.string().optional() }))
  .default([])
  .transform((parts) => parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'));
const Content = z.looseObject({ role: z.string().default('user'), parts: Parts });
const Body = z.looseObject({
  systemInstruction: Content.optional(),
  contents: z.array(Content),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]) }))
    .default([]),
});
const WantsJson = z.looseObject({
  generationConfig: z.looseObject({ responseMimeType: z.literal('application/json') }),
});
const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)(\?|$)/;

/** Google's Gemini API. */
export const gemini: Dialect = {
  name: 'gemini',
  route: (path) => {
    const method = PATH.exec(path)?.[2];
    if (method === undefined) return undefined;
    return method === 'countTokens' ? 'count' : 'answer';
  },
  read,
  frames,
  whole: (reply) => chunk(reply, parts(reply), true),
  count: { totalTokens: 100 },
  refusal: geminiRefusal,
  // Errors in the middle of a stream come without the frame of an event.
  errorFrame: (reason) => JSON.stringify(geminiRefusal({ reason, model: 'scripted' }).body),
  aside: (body) =>
    WantsJson.safeParse(body).success
      ? JSON.stringify({ reasoning: 'The turn is over.', next_speaker: 'user' })
      : 'A scripted aside',
};

function read(path: string, body: unknown): RecordedRequest {
  const [, model = '', method] = PATH.exec(path) ?? [];
  const { systemInstruction, contents, tools } = Body.parse(body);
  const texts = contents.filter(({ role, parts }) => role === 'user' && parts !== '').map(({ parts }) => parts);
  return {
    model,
    system: systemInstruction?.parts ?? '',
    tools: tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    prompt: texts.join('\n'),
    lastUser: texts.at(-1) ?? '',
    turn: contents.filter(({ role }) => role === 'model').length,
    isStream: method === 'streamGenerateContent',
  };
}

function frames(reply: Reply): string[] {
  const all = parts(reply);
  return all.map((part, at) => frame(chunk(reply, [part], at === all.length - 1)));
}

function parts({ think, say, calls }: Reply): Record<string, unknown>[] {
  const all = [
    ...(think === '' ? [] : [{ text: think, thought: true }]),
    ...pieces(say).map((text) => ({ text })),
    ...calls.map(({ name, ...call }) => ({
      functionCall: { name, args: 'args' in call ? call.args : { input: call.input } },
    })),
  ];
  return all.length === 0 ? [{ text: '' }] : all;
}

function chunk({ id, model, stop, usage }: Reply, parts: readonly unknown[], isLast: boolean) {
  const finishReason = stop === 'max-tokens' ? 'MAX_TOKENS' : 'STOP';
  return {
    responseId: `gemini_${id}`,
    modelVersion: model,
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(isLast ? { finishReason } : {}) }],
    usageMetadata: {
      promptTokenCount: usage.in,
      candidatesTokenCount: usage.out,
      cachedContentTokenCount: usage.cacheRead,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.in + usage.out + usage.reasoning,
    },
  };
}
