import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import type { AgentEvent, AgentReader, Assignment } from '../agent.ts';
import { finalJson } from '../final-json.ts';
import { parseJsonObject } from '../json-object.ts';
import { shownPath } from '../path-inside.ts';
import type { PriceList } from '../prices.ts';
import { REFUSALS } from '../status-failure.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { toolCall } from '../tool-call.ts';
import { geminiFailure } from './gemini-failure.ts';
import { geminiHomePath } from './gemini-home.ts';
import { GeminiLine, type ModelTokens, type ResultLine } from './gemini-line.ts';
import { billedUsage, followSession, type GeminiSession, type TokensByModel } from './gemini-session.ts';
import { consumeLastFinish } from './gemini-telemetry.ts';

type Line<Type extends GeminiLine['type']> = Extract<GeminiLine, { type: Type }>;

const WRITING = new Set(['write_file', 'replace']);
/** Tools that are not offered to a task that may not use them. */
const WITHHELD = new Set([...WRITING, 'run_shell_command']);
const Written = z.object({ file_path: z.string() });
const RETRY = /^Attempt \d+ failed\b.*|^Retrying after .*/;
const UNREACHED = /fetch failed/;

/** Translates Gemini's stream-json lines; an unknown line becomes an `unknown` event. */
export function geminiReader(assignment: Assignment, prices?: PriceList): AgentReader {
  const state = new GeminiReaderState(assignment, prices);
  const errors = tailOfLines();
  return {
    line(file, text) {
      if (file === 'stderr') {
        errors.add(text);
        return [RETRY.test(text) ? { type: 'retry', message: text } : { type: 'text', text }];
      }
      const parsed = GeminiLine.safeParse(parseJsonObject(text));
      return parsed.success ? state.read(parsed.data) : [{ type: 'unknown', raw: text }];
    },
    usage: () => state.usage(),
    end(exit) {
      const { session, result } = state;
      const lastFinish = consumeLastFinish(assignment.folder);
      const failure = geminiFailure({ exit, result, warnings: state.warnings, stderr: errors.text(), lastFinish });
      const usage = state.usage(failure !== undefined && REFUSALS.has(failure.kind));
      const known = { usage, ...(session === undefined ? {} : { session }) };
      if (failure !== undefined) return { ...known, text: failure.message, failure };
      const text = state.text();
      const output = assignment.outputSchema === undefined ? parseJsonObject(text) : finalJson(text);
      return { ...known, text, ...(output === undefined ? {} : { output }) };
    },
  };
}

/** The state accumulated from the lines so far. */
class GeminiReaderState {
  session: string | undefined;
  result: ResultLine | undefined;
  readonly warnings: string[] = [];
  readonly #workspace: string;
  readonly #home: string;
  readonly #prices: PriceList | undefined;
  readonly #calls = new Map<string, Line<'tool_use'>>();
  #spent: GeminiSession | undefined;
  #turns = 0;
  #isAnswering = false;
  #answerText = '';
  #pending = '';

  constructor({ workspace, folder }: Assignment, prices: PriceList | undefined) {
    this.#workspace = workspace;
    this.#home = geminiHomePath(folder);
    this.#prices = prices;
  }

  /** The final text: the message after the last tool call. */
  text(): string {
    return this.#answerText.trim();
  }

  /** The program's own total if it reported one, else that of its session file; an uncounted call is unknown. */
  usage(isRefused = false): Usage {
    if (this.session === undefined) return { kind: 'none' };
    const usage = billedUsage(this.#tokens(), this.#turns, this.#prices);
    if (usage.kind !== 'none' || this.result?.status === 'success') return usage;
    const isUnreached = UNREACHED.test(this.result?.error?.message ?? '');
    return this.#turns === 0 && (isRefused || isUnreached) ? usage : { kind: 'unknown' };
  }

  read(line: GeminiLine): AgentEvent[] {
    if (line.type === 'message' && line.role === 'assistant') return this.#appendText(line.content);
    const pending = this.#flush();
    switch (line.type) {
      case 'init':
        return [...pending, ...this.#begin(line)];
      case 'message':
        return pending;
      case 'tool_use':
        this.#answer();
        this.#answerText = '';
        this.#calls.set(line.tool_id, line);
        return [...pending, ...toolCall({ id: line.tool_id, name: line.tool_name, input: line.parameters })];
      case 'tool_result':
        this.#isAnswering = false;
        return [...pending, ...this.#toolResult(line)];
      case 'error':
        this.warnings.push(line.message);
        return [...pending, { type: 'retry', message: line.message }];
      case 'result':
        return [...pending, ...this.#end(line)];
    }
  }

  #begin({ session_id: id, timestamp }: Line<'init'>): AgentEvent[] {
    this.session = id;
    this.#spent = followSession(this.#home, { id, from: Date.parse(timestamp ?? '') || 0 });
    return [{ type: 'session', id }];
  }

  #answer(): void {
    if (!this.#isAnswering) this.#turns += 1;
    this.#isAnswering = true;
  }

  /** Partial answers are reported line by line, independent of how they were split. */
  #appendText(piece: string): AgentEvent[] {
    this.#answer();
    this.#answerText += piece;
    const [rest = '', ...lines] = `${this.#pending}${piece}`.split('\n').reverse();
    this.#pending = rest;
    return lines.length === 0 ? [] : [{ type: 'text', text: lines.reverse().join('\n') }];
  }

  #flush(): AgentEvent[] {
    const text = this.#pending;
    this.#pending = '';
    return text === '' ? [] : [{ type: 'text', text }];
  }

  #toolResult({ tool_id: id, status, output, error }: Line<'tool_result'>): AgentEvent[] {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const isError = status === 'error';
    const result: AgentEvent = { type: 'tool-result', id, output: output ?? error?.message ?? '', isError };
    if (call === undefined) return [result];
    if (!isError) return [result, ...this.#change(call)];
    const message = error?.message ?? '';
    const isDenied =
      error?.type === 'policy_violation' ||
      (error?.type === 'tool_not_registered' && WITHHELD.has(call.tool_name)) ||
      /requires user confirmation, which is not supported/.test(message);
    return isDenied ? [result, { type: 'permission-denied', tool: call.tool_name, message }] : [result];
  }

  #change({ tool_name, parameters }: Line<'tool_use'>): AgentEvent[] {
    const { data } = Written.safeParse(parameters);
    if (data === undefined || !WRITING.has(tool_name)) return [];
    return [{ type: 'file-change', path: shownPath(this.#workspace, data.file_path), change: 'modified' }];
  }

  #end(line: ResultLine): AgentEvent[] {
    this.result = line;
    const isError = line.status === 'error';
    const text = isError ? (line.error?.message ?? this.warnings.at(-1) ?? '') : this.text();
    return [
      { type: 'usage', usage: this.usage() },
      { type: 'result', isError, text },
    ];
  }

  #tokens(): TokensByModel {
    return this.result?.stats === undefined ? (this.#spent?.tokens() ?? new Map()) : countedTokens(this.result.stats);
  }
}

/** Thoughts are billed as output; only the total includes them. */
function countedTokens(models: ModelTokens): TokensByModel {
  return new Map(
    Object.entries(models).map(([model, { total_tokens, input_tokens, output_tokens, cached }]) => [
      model,
      {
        inputTokens: Math.max(0, input_tokens - cached),
        cachedTokens: cached,
        outputTokens: Math.max(output_tokens, total_tokens - input_tokens),
      },
    ]),
  );
}
