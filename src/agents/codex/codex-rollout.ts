import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonObject } from '../json-object.ts';
import { namesIn, type SessionLines, sessionLines } from '../session-lines.ts';
import type { ModelCall } from '../sum-usage.ts';

/** Why a turn failed: Codex' own reason, and the HTTP status if it has one. */
export interface RolloutError {
  reason: string;
  status?: number;
  /** When it failed. */
  at?: number;
}

/** Codex' own log of a thread, written while it works. */
export interface Rollout {
  /** Reads the new lines; false while there is no file. */
  refresh(): boolean;
  readonly calls: readonly ModelCall[];
  readonly error: RolloutError | undefined;
  /** Why its own sandbox could not start, where that is so for every command. */
  readonly sandboxProblem: string | undefined;
}

const Count = z.number().int().nonnegative();
/** Tokens as Codex counts them: the input includes cached tokens. */
export const CodexTokens = z
  .object({
    input_tokens: Count,
    cached_input_tokens: Count.default(0),
    cache_write_input_tokens: Count.default(0),
    output_tokens: Count,
  })
  .transform(
    ({ input_tokens: prompt, cached_input_tokens: cached, cache_write_input_tokens: written, output_tokens }) => ({
      inputTokens: Math.max(0, prompt - cached - written),
      cachedTokens: cached,
      writtenTokens: written,
      outputTokens: output_tokens,
      promptTokens: prompt,
    }),
  );

const Status = z.object({ http_status_code: z.number().int().nullish() });
const Line = z.union([
  z.object({
    type: z.literal('response_item'),
    timestamp: z.string().optional(),
    payload: z.object({ type: z.literal('function_call_output'), output: z.string() }),
  }),
  z.object({ type: z.literal('turn_context'), payload: z.object({ model: z.string() }) }),
  z.object({
    type: z.literal('token_usage_record'),
    timestamp: z.string().optional(),
    payload: z.object({ usage: CodexTokens }),
  }),
  z.object({
    type: z.literal('event_msg'),
    timestamp: z.string().optional(),
    payload: z.object({
      type: z.literal('token_count'),
      info: z.object({ total_token_usage: z.unknown(), last_token_usage: CodexTokens }),
    }),
  }),
  z.object({
    type: z.literal('event_msg'),
    timestamp: z.string().optional(),
    payload: z.object({
      type: z.literal('task_complete'),
      error: z.object({ codex_error_info: z.union([z.string(), z.record(z.string(), Status.nullish())]) }),
    }),
  }),
]);

/** The other lines are the conversation itself, which may be long. */
const OF_INTEREST = /"(turn_context|token_usage_record|token_count|task_complete|function_call_output)"/;
/** The whole output of a command whose sandbox could not start. */
const SANDBOX_PROBLEM = /\nOutput:\n(bwrap: [^\n]+)\n?$/;
export const DAY_MS = 86_400_000;
const THREAD_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The rollout file of a thread, in the folder of the day on which it began, which its id contains. */
export function findRollout(home: string, thread: string): string | undefined {
  const [, high, low] = THREAD_ID.exec(thread) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const began = Number.parseInt(high + low, 16);
  // Days are those of the machine's time zone.
  for (const at of [began, began - DAY_MS, began + DAY_MS]) {
    const folder = join(home, rolloutFolder(at));
    const name = namesIn(folder).find((file) => file.endsWith(`-${thread}.jsonl`));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

/** The folder of the threads that begin on a day, below Codex' home. */
export function rolloutFolder(at: number): string {
  return join('sessions', ...new Date(at).toISOString().slice(0, 10).split('-'));
}

/** Follows the rollout of a thread from a byte offset or a time; nothing is read before the first refresh. */
export function openRollout(options: { home: string; thread: string; from: number; since?: number }): Rollout {
  const { home, thread, from, since = 0 } = options;
  const counted: ModelCall[] = [];
  const recorded: ModelCall[] = [];
  let lines: SessionLines | undefined;
  let model: string | undefined;
  let lastTotal = '';
  let error: RolloutError | undefined;
  let commands = 0;
  const sandboxProblems: string[] = [];
  const onLine = (text: string) => {
    const line = OF_INTEREST.test(text) ? Line.safeParse(parseJsonObject(text)).data : undefined;
    if (line === undefined) return;
    if (line.type === 'turn_context') model = line.payload.model;
    else if (since > 0 && Date.parse(line.timestamp ?? '') < since) return;
    else if (line.type === 'response_item') {
      commands += 1;
      const [, problem] = SANDBOX_PROBLEM.exec(line.payload.output) ?? [];
      if (problem !== undefined) sandboxProblems.push(problem);
    } else if (line.type === 'token_usage_record') recorded.push({ model, tokens: line.payload.usage });
    else if (line.payload.type === 'task_complete')
      error = errorIn(line.payload.error.codex_error_info, line.timestamp);
    else {
      const total = JSON.stringify(line.payload.info.total_token_usage);
      if (total !== lastTotal) counted.push({ model, tokens: line.payload.info.last_token_usage });
      lastTotal = total;
    }
  };
  return {
    refresh() {
      const file = lines === undefined ? findRollout(home, thread) : undefined;
      if (file !== undefined) lines = sessionLines(file, from);
      lines?.readNew(onLine);
      return lines !== undefined;
    },
    // Older versions write no usage records of single calls, and a count only when the tools of a call have ended.
    get calls() {
      return recorded.length > 0 ? recorded : counted;
    },
    get error() {
      return error;
    },
    get sandboxProblem() {
      return sandboxProblems.length === commands ? sandboxProblems[0] : undefined;
    },
  };
}

type ErrorInfo = string | Record<string, z.infer<typeof Status> | null | undefined>;

function errorIn(info: ErrorInfo, timestamp: string | undefined): RolloutError | undefined {
  const [reason, more] = typeof info === 'string' ? [info] : (Object.entries(info)[0] ?? []);
  if (reason === undefined) return undefined;
  const status = more?.http_status_code ?? undefined;
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return { reason, ...(status === undefined ? {} : { status }), ...(Number.isNaN(at) ? {} : { at }) };
}
