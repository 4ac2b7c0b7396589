import { z } from 'zod';
import { anthropicRefusal } from './anthropic-refusal.ts';
import { type Dialect, frame, pieces } from './dialect.ts';
import type { RecordedRequest, Reply } from './step.ts';

const Text = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
    .transform((blocks) =>
      blocks.flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : [])).join('\n'),
    ),
]);
const Body = z.looseObject({
  model: z.string(),
  system: Text.default(''),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: Text })),
  stream: z.boolean().default(false),
});
const STOP = { end: 'end_turn', tools: 'tool_use', 'max-tokens': 'max_tokens' } as const;

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: 'anthropic',
  route: (path) => {
    if (/^\/v1\/messages\/count_tokens(\?|$)/.test(path)) return 'count';
    return /^\/v1\/messages(\?|$)/.test(path) ? 'answer' : undefined;
  },
  read,
  frames,
  whole,
  count: { input_tokens: 100 },
  refusal: anthropicRefusal,
  errorFrame: (reason) => {
    const { body } = anthropicRefusal({ reason, model: 'scripted' });
    return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  },
  aside: () => 'A scripted aside',
};

function read(_path: string, body: unknown): RecordedRequest {
  const { model, system, tools, messages, stream } = Body.parse(body);
  const texts = messages.filter(({ role, content }) => role === 'user' && content !== '').map(({ content }) => content);
  return {
    model,
    system,
    tools: tools.map(({ name }) => name),
    prompt: texts.join('\n'),
    lastUser: texts.at(-1) ?? '',
    turn: messages.filter(({ role }) => role === 'assistant').length,
    isStream: stream,
  };
}

function frames(reply: Reply): string[] {
  const message = { ...head(reply), content: [], stop_reason: null, usage: { ...usage(reply), output_tokens: 1 } };
  return [
    { type: 'message_start', message },
    ...blocks(reply).flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: STOP[reply.stop], stop_sequence: null }, usage: usage(reply) },
    { type: 'message_stop' },
  ].map((event) => frame(event, event.type));
}

function whole(reply: Reply): unknown {
  const content = blocks(reply).map(({ complete }) => complete);
  return { ...head(reply), content, stop_reason: STOP[reply.stop], usage: usage(reply) };
}

function head({ id, model }: Reply) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function usage({ usage }: Reply) {
  return {
    input_tokens: usage.in,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.out,
  };
}

type Block = { start: unknown; deltas: unknown[]; complete: unknown };

function blocks({ think, say, calls }: Reply): Block[] {
  return [
    ...(think === '' ? [] : [thinking(think)]),
    ...(say === '' ? [] : [text(say)]),
    ...calls.map(({ id, name, ...call }) => toolUse(id, name, 'args' in call ? call.args : { input: call.input })),
  ];
}

function thinking(thought: string): Block {
  const signature = 'c2ln';
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(thought).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
    complete: { type: 'thinking', thinking: thought, signature },
  };
}

function text(texts: string): Block {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces(texts).map((piece) => ({ type: 'text_delta', text: piece })),
    complete: { type: 'text', text: texts },
  };
}

function toolUse(id: string, name: string, input: Record<string, unknown>): Block {
  const partial = pieces(JSON.stringify(input));
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
    deltas: partial.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    complete: { type: 'tool_use', id: `toolu_${id}`, name, input },
  };
}
