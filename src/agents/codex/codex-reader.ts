import { isAbsolute, join, relative } from 'node:path';
import { z } from 'zod';
import { readPlainStart } from '../../process/files/plain-file.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import type { World } from '../../world.ts';
import type { AgentEvent, AgentExit, AgentReader, AgentResult, Assignment } from '../agent.ts';
import { parseJsonObject } from '../json-object.ts';
import type { BilledTokens, PriceList } from '../prices.ts';
import { usageOfCalls } from '../sum-usage.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { toolCall } from '../tool-call.ts';
import { codexFailure, type TurnEnd } from './codex-failure.ts';
import { CodexLine, type ToolItem } from './codex-line.ts';
import { openRollout, type Rollout } from './codex-rollout.ts';
import { withoutNulls } from './codex-schema.ts';

/** What the reader of one attempt needs. */
export interface CodexReaderOptions {
  assignment: Assignment;
  /** Where Codex stores the rollouts of its threads. */
  home: string;
  prices: PriceList;
  world: World;
}

/** The file in the attempt's folder with the size of a resumed thread's rollout before the attempt. */
export const BEFORE_FILE = 'codex-before.json';

const Before = z.object({ rolloutBytes: z.number().int().nonnegative() });
const RETRY = /^(Reconnecting\.\.\.|waiting for network)/i;
const PATCH_REJECTED = /\berror=(patch rejected: .*)$/;
const CHANGES = { add: 'added', update: 'modified', delete: 'deleted' } as const;

/** Reads Codex' events; its usage comes from its rollout of the thread, which survives a kill. */
export function codexReader(options: CodexReaderOptions): AgentReader {
  const state = new CodexAttempt(options);
  return {
    line: (file, text) => (file === 'stderr' ? state.error(text) : state.line(text)),
    usage: () => state.usage(),
    end: (exit) => state.end(exit),
  };
}

class CodexAttempt {
  readonly #options: CodexReaderOptions;
  readonly #errors = tailOfLines();
  readonly #called = new Set<string>();
  readonly #answeredBy = new Set<string>();
  #rollout: Rollout | undefined;
  #hasChanged = false;
  #session: string | undefined;
  #hasTurn = false;
  #turn: TurnEnd = { kind: 'open' };
  #reportedTokens: BilledTokens | undefined;
  #text = '';

  constructor(options: CodexReaderOptions) {
    this.#options = options;
  }

  error(text: string): AgentEvent[] {
    this.#errors.add(text);
    const message = PATCH_REJECTED.exec(text)?.[1];
    return message === undefined
      ? [{ type: 'unknown', raw: text }]
      : [{ type: 'permission-denied', tool: 'apply_patch', message }];
  }

  line(text: string): AgentEvent[] {
    const line = CodexLine.safeParse(parseJsonObject(text)).data;
    if (line === undefined) return [{ type: 'unknown', raw: text }];
    this.#rollout?.refresh();
    return this.#events(line);
  }

  usage(): Usage {
    const { assignment, prices } = this.#options;
    if (this.#rollout !== undefined && this.#rollout.calls.length > 0) return usageOfCalls(this.#rollout.calls, prices);
    if (this.#reportedTokens === undefined) return { kind: 'none' };
    // Without the rollout a resumed thread's total cannot be separated from its earlier usage.
    if (assignment.session !== undefined) return { kind: 'unknown' };
    const { promptTokens: _, ...tokens } = this.#reportedTokens;
    return usageOfCalls([{ model: assignment.settings.model, tokens }], prices);
  }

  end(exit: AgentExit): AgentResult {
    const { assignment, world } = this.#options;
    this.#rollout?.refresh();
    const failure =
      codexFailure({
        exit,
        turn: this.#turn,
        error: this.#rollout?.error,
        stderr: this.#errors.text(),
        now: world.now(),
      }) ?? this.#sandboxFailure();
    const session = this.#session ?? assignment.session;
    const output = failure === undefined ? this.#output() : undefined;
    return {
      usage: this.#finalUsage(),
      text: this.#text,
      ...(session === undefined ? {} : { session }),
      ...(output === undefined ? {} : { output }),
      ...(failure === undefined ? {} : { failure }),
      ...(this.#answeredBy.size === 0 ? {} : { answeredBy: [...this.#answeredBy] }),
    };
  }

  /** Its commands all failed before they began, which its events do not say. */
  #sandboxFailure(): Failure | undefined {
    const problem = this.#hasChanged ? undefined : this.#rollout?.sandboxProblem;
    if (problem === undefined) return undefined;
    const remedy = 'manyhands doctor says what to do';
    return {
      kind: 'environment',
      message: `Its own sandbox could not start, so none of its commands ran: ${problem} (${remedy})`,
    };
  }

  #events(line: CodexLine): AgentEvent[] {
    switch (line.type) {
      case 'thread.started':
        this.#session = line.thread_id;
        this.#follow(line.thread_id);
        return [{ type: 'session', id: line.thread_id }];
      case 'turn.started':
        this.#hasTurn = true;
        this.#turn = { kind: 'open' };
        return [];
      case 'turn.completed':
        this.#turn = { kind: 'completed' };
        this.#reportedTokens = line.usage;
        return [{ type: 'usage', usage: this.usage() }, this.#result()];
      case 'turn.failed':
        this.#turn = { kind: 'failed', message: line.error.message };
        return [{ type: 'result', isError: true, text: line.error.message }];
      case 'error':
        if (RETRY.test(line.message)) return [{ type: 'retry', message: line.message }];
        this.#turn = { kind: 'failed', message: line.message };
        return [];
      case 'item.started':
      case 'item.updated':
        return this.#call(line.item);
      case 'item.completed':
        if (line.item.type === 'error') return this.#reroute(line.item.message);
        if (!('text' in line.item)) return [...this.#call(line.item), ...this.#outcome(line.item)];
        if (line.item.type === 'reasoning') return [{ type: 'reasoning', text: line.item.text }];
        this.#text = line.item.text;
        return [{ type: 'text', text: line.item.text }];
    }
  }

  /** Codex names the model of an answer only if it is not the requested one. */
  #reroute(message: string): AgentEvent[] {
    const model = message.split(' -> ')[1]?.split(' ')[0];
    if (model !== undefined) this.#answeredBy.add(model);
    return [{ type: 'text', text: message }];
  }

  #call(item: ToolItem): AgentEvent[] {
    if (this.#called.has(item.id)) return [];
    this.#called.add(item.id);
    return toolCall({ id: item.id, ...nameAndInput(item) });
  }

  #outcome(item: ToolItem): AgentEvent[] {
    const isError = 'status' in item && item.status !== 'completed';
    const result: AgentEvent = { type: 'tool-result', id: item.id, output: outputOf(item), isError };
    if ('status' in item && item.status === 'declined') {
      const { name } = nameAndInput(item);
      return [result, { type: 'permission-denied', tool: name, message: `${name} was declined` }];
    }
    if (item.type !== 'file_change' || isError) return [result];
    this.#hasChanged = true;
    return [
      result,
      ...item.changes.map(({ path, kind }) => ({
        type: 'file-change' as const,
        path: this.#inside(path),
        change: CHANGES[kind],
      })),
    ];
  }

  #inside(path: string): string {
    const inside = relative(this.#options.assignment.workspace, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  }

  #result(): AgentEvent {
    const output = this.#output();
    return { type: 'result', isError: false, text: this.#text, ...(output === undefined ? {} : { output }) };
  }

  #output(): unknown {
    const output = parseJsonObject(this.#text);
    const { outputSchema } = this.#options.assignment;
    return output === undefined || outputSchema === undefined ? output : withoutNulls(output, outputSchema);
  }

  #follow(thread: string): void {
    const { home, assignment } = this.#options;
    const from = assignment.session === undefined ? 0 : bytesBefore(assignment.folder);
    if (from !== undefined) this.#rollout ??= openRollout({ home, thread, from });
  }

  /** A call that was in progress when the turn was interrupted may have cost something; a refused one has not. */
  #finalUsage(): Usage {
    const usage = this.usage();
    if (usage.kind !== 'none' || !this.#hasTurn || this.#turn.kind === 'completed') return usage;
    if (this.#turn.kind === 'open') return { kind: 'unknown' };
    return /^(stream disconnected|Incomplete response)/.test(this.#turn.message) ? { kind: 'unknown' } : usage;
  }
}

function nameAndInput(item: ToolItem): { name: string; input: unknown } {
  switch (item.type) {
    case 'command_execution':
      return { name: 'exec_command', input: { command: item.command } };
    case 'file_change':
      return { name: 'apply_patch', input: { changes: item.changes } };
    case 'mcp_tool_call':
      return { name: `mcp__${item.server}__${item.tool}`, input: item.arguments };
    case 'web_search':
      return { name: 'web_search', input: { query: item.query } };
  }
}

function outputOf(item: ToolItem): string {
  if (item.type === 'command_execution') return item.aggregated_output;
  if (item.type !== 'mcp_tool_call') return '';
  if (item.error) return item.error.message;
  const text = z.object({ text: z.string() });
  return (item.result?.content ?? []).map((part) => text.safeParse(part).data?.text ?? JSON.stringify(part)).join('\n');
}

function bytesBefore(folder: string): number | undefined {
  const text = readPlainStart(join(folder, BEFORE_FILE));
  return text === undefined ? undefined : Before.safeParse(parseJsonObject(text)).data?.rolloutBytes;
}
