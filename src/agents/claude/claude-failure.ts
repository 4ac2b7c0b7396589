import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { AgentExit } from '../agent.ts';
import { exitFailure, failureMessage, signalFailure } from '../exit-failure.ts';
import { resetTimeIn } from '../reset-time.ts';
import { statusFailure } from '../status-failure.ts';
import type { ResultLine } from './claude-line.ts';

/** The program's own report of a failed request, sent instead of an answer. */
export interface ApiError {
  error: string | undefined;
  /** When it was reported. */
  at: number | undefined;
}

/** All inputs that decide how an attempt ended. */
export interface ClaudeEnd {
  exit: AgentExit;
  result: ResultLine | undefined;
  /** A turn began after the last result. */
  isTurnOpen: boolean;
  apiError: ApiError | undefined;
  /** When the limit that refused a request ends, as reported by the server. */
  limitResetAt: number | undefined;
  /** The model family that the limit applies to, if not to all. */
  limitFamily?: string | undefined;
  stderr: string;
}

const BY_SUBTYPE: ReadonlyMap<string, FailureKind> = new Map([
  ['error_max_turns', 'budget'],
  ['error_max_budget_usd', 'budget'],
  ['error_max_structured_output_retries', 'bad-output'],
]);

const BY_TERMINAL_REASON: ReadonlyMap<string, FailureKind> = new Map([
  ['prompt_too_long', 'context-full'],
  ['aborted_streaming', 'interrupted'],
  ['aborted_tools', 'interrupted'],
]);

const BY_API_ERROR: ReadonlyMap<string, FailureKind> = new Map([
  ['usage_limit_reached', 'usage-limit'],
  ['connection_failed', 'network'],
  ['stream_idle_timeout', 'network'],
  ['max_output_tokens', 'implementation'],
]);

/** Error names that the program adds to a status and that are more specific. */
const BY_ERROR: ReadonlyMap<string, FailureKind> = new Map([
  ['authentication_failed', 'auth'],
  ['billing_error', 'billing'],
  ['model_not_found', 'model-not-found'],
  ['overloaded', 'overloaded'],
  ['max_output_tokens', 'implementation'],
]);

/** Its error for a session that it cannot resume. */
const SESSION_LOST = /^No conversation found with session ID/;

/** Only messages of the program when it ends without a result, never output of the model. */
const BY_STDERR: readonly (readonly [RegExp, FailureKind])[] = [
  [/cannot be used with root\/sudo privileges/, 'environment'],
  [/\bENOSPC\b|no space left on device/i, 'disk-full'],
  [/Please run \/login|Invalid API key/, 'auth'],
];

/** The failure, if any: from the last result's fields first, then from the exit code, then from stderr. */
export function claudeFailure(end: ClaudeEnd): Failure | undefined {
  const failure = end.result === undefined || end.isTurnOpen ? unfinished(end) : finished(end, end.result);
  if (failure === undefined || end.stderr === '') return failure;
  return { ...failure, evidence: end.stderr };
}

function finished(end: ClaudeEnd, result: ResultLine): Failure | undefined {
  if (result.is_error) return reported(end, result);
  // A signal after the result does not invalidate it.
  if (end.exit.kind === 'interrupted' || signalFailure(end.exit.code) !== undefined) return undefined;
  return exitFailure(end.exit);
}

function unfinished({ exit, stderr }: ClaudeEnd): Failure {
  if (exit.kind === 'interrupted') return exitFailure(exit) ?? crashed();
  const bySignal = signalFailure(exit.code);
  if (bySignal !== undefined) return bySignal;
  if (exit.code === 0) return crashed();
  const kind = BY_STDERR.find(([pattern]) => pattern.test(stderr))?.[1];
  if (kind !== undefined) return { kind, message: failureMessage(stderr) };
  return exitFailure(exit) ?? crashed();
}

function crashed(): Failure {
  return { kind: 'crashed', message: 'It ended without a result' };
}

function reported(end: ClaudeEnd, result: ResultLine): Failure {
  const kind = kindOf(end, result);
  const text = result.result || result.errors?.join('; ') || end.stderr || `It ended with ${result.subtype}`;
  const message = failureMessage(text);
  if (kind !== 'usage-limit' && kind !== 'rate-limit') return { kind, message };
  const resetAt = end.limitResetAt ?? (end.apiError?.at === undefined ? undefined : resetTimeIn(text, end.apiError.at));
  const family = end.limitFamily;
  return {
    kind,
    message,
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(family === undefined ? {} : { family }),
  };
}

function kindOf({ apiError, limitResetAt }: ClaudeEnd, result: ResultLine): FailureKind {
  const status = result.api_error_status ?? undefined;
  const known =
    (result.errors?.some((error) => SESSION_LOST.test(error)) ? 'session-lost' : undefined) ??
    BY_SUBTYPE.get(result.subtype) ??
    BY_TERMINAL_REASON.get(result.terminal_reason ?? '') ??
    BY_API_ERROR.get(result.api_error ?? '') ??
    (result.stop_reason === 'refusal' ? 'refused' : undefined) ??
    (status === 429 && limitResetAt !== undefined ? 'usage-limit' : undefined) ??
    BY_ERROR.get(apiError?.error ?? '') ??
    (status === undefined ? undefined : (statusFailure(status) ?? 'unknown'));
  if (known !== undefined) return known;
  if (result.subtype !== 'success') return 'crashed';
  return apiError === undefined && result.terminal_reason !== 'api_error' ? 'unknown' : 'network';
}
