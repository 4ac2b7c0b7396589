import { z } from 'zod';
import { type Dialect, frame, pieces } from './dialect.ts';
import { responsesRefusal } from './responses-refusal.ts';
import type { Call, RecordedRequest, Reply } from './step.ts';

const Content = z.union([
  z.string(),
  z
    .array(z.looseObject({ text: z.string().optional() }))
    .transform((parts) => parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n')),
]);
const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().default(''),
  content: z.unknown().optional(),
});
const Body = z.looseObject({
  model: z.string(),
  instructions: z.string().default(''),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).default([]),
  input: z.union([z.string(), z.array(Item)]),
  stream: z.boolean().default(false),
});
/** What the model says of itself in a conversation's history; one answer may leave several of them. */
const OF_MODEL = new Set(['reasoning', 'function_call', 'custom_tool_call', 'local_shell_call']);

/** OpenAI's Responses API. */
export const responses: Dialect = {
  name: 'responses',
  route: (path) => (/^\/v1\/responses(\?|$)/.test(path) ? 'answer' : undefined),
  read,
  frames,
  whole,
  count: {},
  refusal: responsesRefusal,
  errorFrame: (reason) => {
    const { body } = responsesRefusal({ reason, model: 'scripted' });
    const response = { id: 'resp_failed', object: 'response', status: 'failed', ...z.looseObject({}).parse(body) };
    return frame({ type: 'response.failed', response }, 'response.failed');
  },
  aside: () => 'A scripted aside',
};

function read(_path: string, body: unknown): RecordedRequest {
  const { model, instructions, tools, input, stream } = Body.parse(body);
  const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  const textOf = (roles: readonly string[]) =>
    items.flatMap(({ type, role, content }) => {
      const text = Content.safeParse(content).data ?? '';
      return type === 'message' && roles.includes(role) && text !== '' ? [text] : [];
    });
  const user = textOf(['user']);
  return {
    model,
    system: [instructions, ...textOf(['developer', 'system'])].join('\n'),
    tools: tools.map(({ type, name }) => name ?? type),
    prompt: user.join('\n'),
    lastUser: user.at(-1) ?? '',
    turn: countAnswers(items),
    isStream: stream,
  };
}

/** An answer begins where an item of the model follows one of somebody else. */
function countAnswers(items: readonly { type: string; role: string }[]): number {
  const isOfModel = items.map(({ type, role }) => role === 'assistant' || OF_MODEL.has(type));
  return isOfModel.filter((is, at) => is && isOfModel[at - 1] !== true).length;
}

function frames(reply: Reply): string[] {
  const id = `resp_${reply.id}`;
  const outcome = reply.stop === 'max-tokens' ? 'response.incomplete' : 'response.completed';
  return [
    { type: 'response.created', response: { id, object: 'response', status: 'in_progress', output: [] } },
    ...items(reply).flatMap((item, at) => itemEvents(item, at)),
    { type: outcome, response: whole(reply) },
  ].map((event, at) => frame({ ...event, sequence_number: at }, event.type));
}

function whole(reply: Reply) {
  const { usage } = reply;
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    model: reply.model,
    status: reply.stop === 'max-tokens' ? 'incomplete' : 'completed',
    incomplete_details: reply.stop === 'max-tokens' ? { reason: 'max_output_tokens' } : null,
    output: items(reply),
    usage: {
      input_tokens: usage.in,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.out,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.in + usage.out,
    },
  };
}

type OutputItem = { id: string; type: string } & Record<string, unknown>;
type ItemEvent = { type: string } & Record<string, unknown>;

function items({ id, think, say, calls }: Reply): OutputItem[] {
  const summary = [{ type: 'summary_text', text: think }];
  const content = [{ type: 'output_text', text: say, annotations: [] }];
  return [
    ...(think === '' ? [] : [{ id: `rs_${id}`, type: 'reasoning', summary, encrypted_content: 'c2NyaXB0ZWQ=' }]),
    ...(say === '' ? [] : [{ id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content }]),
    ...calls.map(callItem),
  ];
}

function callItem({ id, name, namespace, ...call }: Call & { id: string }): OutputItem {
  const ids = { id: `fc_${id}`, call_id: `call_${id}`, status: 'completed', name };
  if ('input' in call) return { ...ids, type: 'custom_tool_call', input: call.input };
  const within = namespace === undefined ? {} : { namespace };
  return { ...ids, ...within, type: 'function_call', arguments: JSON.stringify(call.args) };
}

function itemEvents(item: OutputItem, at: number): ItemEvent[] {
  return [
    { type: 'response.output_item.added', output_index: at, item: begun(item) },
    ...deltas(item).map((event) => ({ ...event, output_index: at, item_id: item.id })),
    { type: 'response.output_item.done', output_index: at, item },
  ];
}

function begun(item: OutputItem): OutputItem {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  return item.type === 'reasoning' ? { ...item, summary: [] } : item;
}

function deltas(item: OutputItem): ItemEvent[] {
  const textOf = Content.safeParse(item.content);
  if (item.type !== 'message' || !textOf.success) return [];
  return pieces(textOf.data).map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta }));
}
