import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { AgentExit } from '../agent.ts';
import { exitFailure, failureMessage, signalFailure } from '../exit-failure.ts';
import { resetTimeIn } from '../reset-time.ts';
import { statusFailure } from '../status-failure.ts';
import type { ResultLine } from './gemini-line.ts';

/** All inputs that decide how an attempt ended. */
export interface GeminiEnd {
  exit: AgentExit;
  result: ResultLine | undefined;
  /** The messages of its `error` events. */
  warnings: readonly string[];
  stderr: string;
  /** Why its last answer ended, from telemetry; Gemini reports a truncated answer as a success. */
  lastFinish: string | undefined;
}

const LOOP = /^Loop detected/;
/** Its error for a session that it cannot resume. */
const SESSION_LOST = /^Error resuming session: /m;
/** Its finish reason for an answer that reached the token limit. */
const CUT_OFF = 'length';

/** Its own exit codes; every other code is an HTTP status modulo 256. */
const BY_EXIT: ReadonlyMap<number, FailureKind> = new Map([
  [41, 'auth'],
  [42, 'environment'],
  [44, 'environment'],
  [52, 'environment'],
  [53, 'budget'],
  [54, 'disk-full'],
  [55, 'environment'],
  [130, 'interrupted'],
]);

const STATUSES = [400, 401, 402, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504, 529] as const;

/** Names of its own errors, printed before the stack trace. */
const BY_NAME: ReadonlyMap<string, FailureKind> = new Map([
  ['TerminalQuotaError', 'usage-limit'],
  ['ModelNotFoundError', 'model-not-found'],
]);

/** Messages of the service or of the program where a status alone is ambiguous; never output of the model. */
const BY_MESSAGE: readonly (readonly [RegExp, FailureKind])[] = [
  [/API[_ ]key (not valid|expired)|API_KEY_INVALID/i, 'auth'],
  [/exceeds the maximum number of tokens|input token count/i, 'context-full'],
  [/FAILED_PRECONDITION|billing|INSUFFICIENT_G1_CREDITS/i, 'billing'],
  [/blocked due to/i, 'refused'],
  [/truncated because it exceeded the token limit/i, 'implementation'],
  [/fetch failed|terminated|ECONN|ETIMEDOUT|socket|without a finish reason|empty response|JSON/i, 'network'],
];

/** The failure, if any: from the result's status first, then from the exit code, then from stderr. */
export function geminiFailure(end: GeminiEnd): Failure | undefined {
  const failure = end.result === undefined ? unfinished(end) : finished(end, end.result);
  return failure === undefined || end.stderr === '' ? failure : { ...failure, evidence: end.stderr };
}

function finished(end: GeminiEnd, result: ResultLine): Failure | undefined {
  if (result.status === 'error') return reported(end, result);
  const loop = end.warnings.find((warning) => LOOP.test(warning));
  if (loop !== undefined) return { kind: 'implementation', message: `It repeated itself: ${failureMessage(loop)}` };
  if (end.lastFinish === CUT_OFF) return { kind: 'bad-output', message: 'Its answer was cut off by the token limit' };
  // A signal after the result does not invalidate it.
  return end.exit.kind === 'interrupted' ? undefined : exitFailure(end.exit);
}

/** After a stop signal it exits with 0 and without a result, which is not a success. */
function unfinished({ exit, stderr }: GeminiEnd): Failure {
  const crashed: Failure = { kind: 'crashed', message: 'It ended without a result' };
  if (exit.kind === 'interrupted') return exitFailure(exit) ?? crashed;
  const kind = SESSION_LOST.test(stderr) ? 'session-lost' : BY_EXIT.get(exit.code);
  if (kind === undefined) return signalFailure(exit.code) ?? exitFailure(exit) ?? crashed;
  return { kind, message: failureMessage(stderr.split('\n').at(-1) || `It ended with exit code ${exit.code}`) };
}

function reported(end: GeminiEnd, result: ResultLine): Failure {
  const text = result.error?.message ?? end.warnings.at(-1) ?? 'It ended with an unknown error';
  const kind = kindOf(end, text);
  const resetAt = kind === 'usage-limit' || kind === 'rate-limit' ? resetTime(text, result.timestamp) : undefined;
  const message = failureMessage(plain(text));
  return resetAt === undefined ? { kind, message } : { kind, message, resetAt };
}

function kindOf(end: GeminiEnd, text: string): FailureKind {
  const { exit } = end;
  const named = /^Error when talking to Gemini API .*?\.json (\w+):/m.exec(end.stderr)?.[1];
  const status = refusalStatus(end);
  return (
    BY_NAME.get(named ?? '') ??
    (exit.kind === 'exited' ? BY_EXIT.get(exit.code) : undefined) ??
    (status === undefined ? undefined : statusFailure(status)) ??
    BY_MESSAGE.find(([pattern]) => pattern.test(text))?.[1] ??
    'unknown'
  );
}

/** The HTTP status of the service's refusal, if there was one. */
function refusalStatus({ exit, result }: GeminiEnd): number | undefined {
  if (result?.status !== 'error' || exit.kind !== 'exited' || BY_EXIT.has(exit.code)) return undefined;
  const named = /"code":\s*(\d{3})\b/.exec(result.error?.message ?? '')?.[1];
  return named === undefined ? STATUSES.find((status) => status % 256 === exit.code) : Number(named);
}

/** Durations are relative to the line's timestamp. */
function resetTime(text: string, timestamp: string | undefined): number | undefined {
  const from = Date.parse(timestamp ?? '');
  return Number.isNaN(from) ? undefined : resetTimeIn(text, from);
}

/** The service's own message, extracted from the JSON that the program prints. */
function plain(text: string): string {
  return /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.replace(/^\[API Error: ([\s\S]*?)\]/, '$1');
}
