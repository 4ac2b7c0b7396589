import { isAbsolute, relative } from 'node:path';
import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import type { AgentEvent, AgentReader } from '../agent.ts';
import { parseJsonObject } from '../json-object.ts';
import { sumUsage } from '../sum-usage.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { toolCall } from '../tool-call.ts';
import { type ApiError, claudeFailure } from './claude-failure.ts';
import {
  type AssistantBlock,
  type AssistantLine,
  ClaudeLine,
  type ModelUsages,
  type ResultLine,
  type RetryLine,
  type UserLine,
} from './claude-line.ts';
import { OpenCalls, usageSince } from './claude-usage.ts';

/** The model name of messages that Claude Code writes itself. */
const SYNTHETIC = '<synthetic>';
/** A weekly limit that applies to one model family only. */
const LIMIT_OF_FAMILY = /^seven_day_(opus|sonnet|haiku)$/;

type StreamLine = Extract<ClaudeLine, { type: 'stream_event' }>;
/** What a line reports about the model call that it belongs to. */
type StartedCall = Pick<AssistantLine['message'], 'id' | 'usage'> & { model?: string | undefined };
type LimitInfo = Extract<ClaudeLine, { type: 'rate_limit_event' }>['rate_limit_info'];

/** The result of a tool that wrote a file. */
const WrittenFile = z.object({ filePath: z.string(), structuredPatch: z.unknown(), type: z.string().optional() });

/** Translates Claude's stream-json lines; an unknown line becomes an `unknown` event. */
export function claudeReader(workspace: string): AgentReader {
  const state = new ClaudeReaderState(workspace);
  const errors = tailOfLines();
  return {
    line(file, text) {
      if (file === 'stderr') {
        errors.add(text);
        return [{ type: 'text', text }];
      }
      const parsed = ClaudeLine.safeParse(parseJsonObject(text));
      return parsed.success ? state.read(parsed.data) : [{ type: 'unknown', raw: text }];
    },
    usage: () => state.usage(),
    end(exit) {
      const { session, result, output } = state;
      const known = {
        usage: state.usage(),
        ...(session === undefined ? {} : { session }),
        ...(state.answeredBy.size === 0 ? {} : { answeredBy: [...state.answeredBy] }),
      };
      const failure = claudeFailure({ exit, ...state.facts(), stderr: errors.text() });
      if (failure !== undefined) return { ...known, text: failure.message, failure };
      return { ...known, text: result?.result ?? '', ...(output === undefined ? {} : { output }) };
    },
  };
}

/** The state accumulated from the lines so far. */
class ClaudeReaderState {
  session: string | undefined;
  result: ResultLine | undefined;
  output: unknown;
  /** The models of the main agent's answers, which a gateway may have replaced; `modelUsage` has the requested ones. */
  readonly answeredBy = new Set<string>();
  readonly #workspace: string;
  readonly #turns = new Set<string>();
  readonly #denied = new Set<string>();
  #spent: Usage = { kind: 'none' };
  #totals: ModelUsages = {};
  #isTurnOpen = false;
  /** Calls since the last result, and the latest of the main agent and of each of its subagents. */
  readonly #calls = new OpenCalls();
  readonly #latestCalls = new Map<string, string>();
  #apiError: ApiError | undefined;
  #limitResetAt: number | undefined;
  #limitFamily: string | undefined;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** What results reported, and the calls since then at list prices. */
  usage(): Usage {
    const usage = sumUsage(this.#spent, this.#calls.usage());
    return usage.kind === 'known' ? { ...usage, turns: this.#turns.size } : usage;
  }

  facts() {
    const { result } = this;
    return {
      result,
      isTurnOpen: this.#isTurnOpen,
      apiError: this.#apiError,
      limitResetAt: this.#limitResetAt,
      limitFamily: this.#limitFamily,
    };
  }

  read(line: ClaudeLine): AgentEvent[] {
    switch (line.type) {
      case 'assistant':
        return this.#assistant(line);
      case 'user':
        return this.#toolResults(line);
      case 'result':
        return this.#end(line);
      case 'stream_event':
        this.#stream(line);
        return [];
      case 'rate_limit_event':
        return this.#limit(line.rate_limit_info);
      case 'system':
        return this.#system(line);
    }
  }

  #system(line: Extract<ClaudeLine, { type: 'system' }>): AgentEvent[] {
    switch (line.subtype) {
      case 'init':
        this.#isTurnOpen = true;
        this.#apiError = undefined;
        return this.#inSession(line.session_id);
      case 'api_retry':
        return [{ type: 'retry', message: retryMessage(line) }];
      case 'permission_denied':
        return this.#deny(line.tool_name, line.tool_use_id, line.message);
      case 'status':
      case 'thinking_tokens':
        return [];
    }
  }

  #inSession(id: string): AgentEvent[] {
    if (this.session === id) return [];
    this.session = id;
    return [{ type: 'session', id }];
  }

  #assistant({ message, parent_tool_use_id, error, api_error, timestamp }: AssistantLine): AgentEvent[] {
    if (message.model === SYNTHETIC) {
      const at = Date.parse(timestamp ?? '');
      const code = error ?? api_error;
      if (code) this.#apiError = { error: code, at: Number.isNaN(at) ? undefined : at };
    } else this.#called(message, parent_tool_use_id);
    return message.content.flatMap(blockEvent);
  }

  #stream({ event, parent_tool_use_id: parent }: StreamLine): void {
    if (event.type === 'message_start') this.#called(event.message, parent);
    const latest = this.#latestCalls.get(parent ?? '');
    if (event.type === 'message_delta' && latest !== undefined) this.#calls.record(latest, event);
  }

  #called(call: StartedCall, parent: string | null | undefined): void {
    this.#calls.record(call.id, call);
    this.#latestCalls.set(parent ?? '', call.id);
    this.#isTurnOpen = true;
    if (parent) return;
    this.#turns.add(call.id);
    if (call.model !== undefined) this.answeredBy.add(call.model);
  }

  #toolResults({ message, tool_use_result }: UserLine): AgentEvent[] {
    const results = message.content.map(
      ({ tool_use_id, content, is_error }): AgentEvent => ({
        type: 'tool-result',
        id: tool_use_id,
        output: textOf(content),
        isError: is_error ?? false,
      }),
    );
    const written = WrittenFile.safeParse(tool_use_result);
    if (!written.success) return results;
    const change = written.data.type === 'create' ? 'added' : 'modified';
    return [...results, { type: 'file-change', path: this.#inside(written.data.filePath), change }];
  }

  #inside(path: string): string {
    const inside = relative(this.#workspace, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  }

  #limit({ status, resetsAt, rateLimitType }: LimitInfo): AgentEvent[] {
    if (status !== 'rejected') return [];
    if (typeof resetsAt === 'number') this.#limitResetAt = resetsAt * 1000;
    this.#limitFamily = LIMIT_OF_FAMILY.exec(rateLimitType ?? '')?.[1];
    return [{ type: 'retry', message: 'A usage limit is reached' }];
  }

  #deny(tool: string, id: string, message: string | null | undefined): AgentEvent[] {
    if (this.#denied.has(id)) return [];
    this.#denied.add(id);
    return [{ type: 'permission-denied', tool, message: message || `${tool} was not allowed` }];
  }

  #end(line: ResultLine): AgentEvent[] {
    const since = usageSince(line, this.#totals);
    const usage: Usage = since.kind === 'none' && this.#calls.size > 0 ? { kind: 'unknown' } : since;
    this.#spent = sumUsage(this.#spent, usage);
    this.#totals = line.modelUsage ?? this.#totals;
    this.#calls.clear();
    this.#latestCalls.clear();
    this.#isTurnOpen = false;
    this.result = line;
    if (line.structured_output !== undefined) this.output = line.structured_output;
    const denials = line.permission_denials ?? [];
    const result = {
      type: 'result' as const,
      isError: line.is_error,
      text: line.result ?? line.errors?.join('; ') ?? '',
    };
    return [
      ...(line.session_id ? this.#inSession(line.session_id) : []),
      ...denials.flatMap(({ tool_name, tool_use_id }) => this.#deny(tool_name, tool_use_id, undefined)),
      { type: 'usage', usage },
      line.structured_output === undefined ? result : { ...result, output: line.structured_output },
    ];
  }
}

function blockEvent(block: AssistantBlock): AgentEvent[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'thinking':
      return [{ type: 'reasoning', text: block.thinking }];
    case 'tool_use':
      return toolCall({ id: block.id, name: block.name, input: block.input });
    case 'other':
      return [];
  }
}

function retryMessage({ attempt, max_retries, retry_delay_ms, error_status, error }: RetryLine): string {
  const status = error_status ? ` (HTTP ${error_status})` : '';
  const seconds = (retry_delay_ms / 1000).toFixed(1);
  return `${error ?? 'A request failed'}${status}: try ${attempt} of ${max_retries} in ${seconds} s`;
}

/** A tool's result is text, or blocks of which only the text is shown. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const Block = z.object({ text: z.string() });
  return content
    .map((block: unknown) => Block.safeParse(block))
    .flatMap((block) => (block.success ? [block.data.text] : ['[not text]']))
    .join('\n');
}
