import { z } from 'zod';
import type { AgentEvent } from '../agent.ts';
import { shownPath } from '../path-inside.ts';
import { toolCall } from '../tool-call.ts';

const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Content = z.union([
  z.looseObject({ type: z.literal('content'), content: Text }).transform(({ content }) => ({ text: content.text })),
  z
    .looseObject({ type: z.literal('diff'), path: z.string(), oldText: z.string().nullish() })
    .transform(({ path, oldText }) => ({ path, isNew: oldText === null || oldText === undefined || oldText === '' })),
  z.unknown().transform(() => ({})),
]);
const ToolFields = {
  toolCallId: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(Content).nullish(),
  _meta: z
    .looseObject({ terminal_output_delta: z.looseObject({ data: z.string() }).optional() })
    .nullish()
    .catch(undefined),
};

/** Codex reports here that it cannot continue, and sends the reason instead of an answer. */
const ThreadStatus = z
  .looseObject({ codex: z.looseObject({ threadStatus: z.looseObject({ type: z.string() }) }) })
  .nullish()
  .catch(undefined);

/** Updates that only an interactive client displays. */
const NOT_REPORTED = [
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'plan',
] as const;

/** The session updates that are understood. */
const Update = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), content: Text }),
  z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), content: Text }),
  z.looseObject({ sessionUpdate: z.enum(['tool_call', 'tool_call_update']), ...ToolFields }),
  z.looseObject({
    sessionUpdate: z.literal('usage_update'),
    cost: z.looseObject({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(undefined),
  }),
  z.looseObject({ sessionUpdate: z.literal('session_info_update'), _meta: ThreadStatus }),
  z.looseObject({ sessionUpdate: z.enum(NOT_REPORTED) }),
]);
type Update = z.infer<typeof Update>;
type ToolUpdate = Extract<Update, { toolCallId: string }>;

type Tool = {
  name: string;
  input: unknown;
  isReported: boolean;
  isEnded: boolean;
  /** Whether each file is new. */
  changes: Map<string, boolean>;
  /** The output of its terminal. */
  terminalOutput: string;
};

/** Translates the updates of one prompt into events and accumulates their result. */
export class Updates {
  /** US dollars of the whole session, as last reported. */
  costUsd: number | undefined;
  turns = 0;
  /** The agent's own message after it could not continue. */
  error: string | undefined;
  /** The final text: the message after the last tool call. */
  text = '';
  readonly #workspace: string;
  readonly #tools = new Map<string, Tool>();
  #pending: { type: 'text' | 'reasoning'; text: string } | undefined;
  #isAnswering = false;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  read(raw: unknown): AgentEvent[] {
    const parsed = Update.safeParse(raw);
    if (!parsed.success) return [...this.flush(), { type: 'unknown', raw: JSON.stringify(raw) }];
    const update = parsed.data;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (this.error !== undefined) this.error += update.content.text;
        this.text += update.content.text;
        return this.#appendText('text', update.content.text);
      case 'agent_thought_chunk':
        return this.#appendText('reasoning', update.content.text);
      case 'tool_call':
      case 'tool_call_update':
        return [...this.flush(), ...this.#tool(update)];
      case 'session_info_update':
        if (update._meta) this.error = update._meta.codex.threadStatus.type === 'systemError' ? '' : this.error;
        return [];
      case 'usage_update':
        if (update.cost?.currency === 'USD') this.costUsd = update.cost.amount;
        return [];
      default:
        return [];
    }
  }

  /** A tool's known input, for agents that do not repeat it in the permission request. */
  inputOf(toolCallId: string): unknown {
    return this.#tools.get(toolCallId)?.input;
  }

  /** Reports a tool whose permission is requested, also when the agent itself does not report it. */
  permissionRequested(call: {
    toolCallId: string;
    title?: string | null | undefined;
    rawInput?: unknown;
  }): AgentEvent[] {
    return [...this.flush(), ...this.#tool({ ...call, sessionUpdate: 'tool_call' }, true)];
  }

  /** Text that was received and not yet reported. */
  flush(): AgentEvent[] {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending === undefined || pending.text === '' ? [] : [pending];
  }

  #appendText(type: 'text' | 'reasoning', piece: string): AgentEvent[] {
    this.#answer();
    const before = this.#pending?.type === type ? [] : this.flush();
    const text = `${this.#pending?.text ?? ''}${piece}`;
    const end = text.lastIndexOf('\n');
    this.#pending = { type, text: text.slice(end + 1) };
    return end === -1 ? before : [...before, { type, text: text.slice(0, end) }];
  }

  #answer(): void {
    if (!this.#isAnswering && this.error === undefined) this.turns += 1;
    this.#isAnswering = true;
  }

  /** Agents report a tool in several updates: its call is reported when it starts or needs permission, its result once. */
  #tool(update: ToolUpdate, isRequested = false): AgentEvent[] {
    const tool = this.#tools.get(update.toolCallId) ?? this.#begin(update);
    mergeUpdate(tool, update);
    const isOver = update.status === 'completed' || update.status === 'failed';
    const events: AgentEvent[] = [];
    if (!tool.isReported && (isOver || isRequested || update.status === 'in_progress')) {
      tool.isReported = true;
      events.push(...toolCall({ id: update.toolCallId, name: tool.name, input: tool.input ?? null }));
    }
    if (!isOver || tool.isEnded) return events;
    tool.isEnded = true;
    this.#isAnswering = false;
    const isError = update.status === 'failed';
    events.push({
      type: 'tool-result',
      id: update.toolCallId,
      output: outputOf(update) || tool.terminalOutput.trim(),
      isError,
    });
    return isError ? events : [...events, ...this.#changes(tool)];
  }

  #begin({ toolCallId, name: named, title }: ToolUpdate): Tool {
    this.#answer();
    this.text = '';
    const name = named ?? title ?? '';
    const tool = { name, input: undefined, isReported: false, isEnded: false, changes: new Map(), terminalOutput: '' };
    this.#tools.set(toolCallId, tool);
    return tool;
  }

  #changes({ changes }: Tool): AgentEvent[] {
    return [...changes].map(([path, isNew]) => ({
      type: 'file-change',
      path: shownPath(this.#workspace, path),
      change: isNew ? 'added' : 'modified',
    }));
  }
}

function mergeUpdate(tool: Tool, { name, rawInput, content, _meta }: ToolUpdate): void {
  tool.name = name ?? tool.name;
  tool.terminalOutput += _meta?.terminal_output_delta?.data ?? '';
  if (rawInput !== undefined && !isEmpty(rawInput)) tool.input = rawInput;
  for (const part of content ?? []) {
    if ('path' in part && !tool.changes.has(part.path)) tool.changes.set(part.path, part.isNew);
  }
}

function isEmpty(input: unknown): boolean {
  return input === null || (typeof input === 'object' && Object.keys(input).length === 0);
}

function outputOf({ rawOutput, content }: ToolUpdate): string {
  if (typeof rawOutput === 'string') return rawOutput;
  const texts = (content ?? []).flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length > 0 || rawOutput === undefined || rawOutput === null) return texts.join('\n');
  return JSON.stringify(rawOutput);
}
