import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { AgentExit } from '../agent.ts';
import { exitFailure, failureMessage, signalFailure } from '../exit-failure.ts';
import { resetTimeIn } from '../reset-time.ts';
import { statusFailure } from '../status-failure.ts';
import type { RolloutError } from './codex-rollout.ts';

const MINUTE_MS = 60_000;

/** How the turn ended, as far as Codex reported it. */
export type TurnEnd = { kind: 'open' } | { kind: 'completed' } | { kind: 'failed'; message: string };

/** All inputs that decide how an attempt ended. */
export interface CodexEnd {
  exit: AgentExit;
  turn: TurnEnd;
  error: RolloutError | undefined;
  stderr: string;
  now: number;
}

const BY_REASON: ReadonlyMap<string, FailureKind> = new Map([
  ['context_window_exceeded', 'context-full'],
  ['usage_limit_exceeded', 'usage-limit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['server_overloaded', 'overloaded'],
  ['policy_capacity_unavailable', 'overloaded'],
  ['internal_server_error', 'overloaded'],
  ['model_not_found', 'model-not-found'],
  ['unauthorized', 'auth'],
  ['session_budget_exceeded', 'budget'],
  ['cyber_policy', 'refused'],
  ['bio_policy', 'refused'],
  ['misalignment_policy_violation', 'refused'],
  ['sandbox_error', 'environment'],
  ['response_stream_disconnected', 'network'],
]);

/** Messages of Codex itself and codes of its provider in a failed turn; never output of the model. */
const BY_MESSAGE: readonly (readonly [RegExp, FailureKind])[] = [
  [/^Quota exceeded\b|"code":"insufficient_quota"/, 'billing'],
  [/^You.ve hit your usage limit\b|^To use Codex with your ChatGPT plan/, 'usage-limit'],
  [/"code":"context_length_exceeded"|ran out of room in the model's context window/, 'context-full'],
  [/^Selected model is at capacity\b|^We.re currently experiencing high demand\b/, 'overloaded'],
  [/^Missing environment variable\b|^Your access token could not be refreshed\b|\bcodex login\b/, 'auth'],
  [/reason: content_filter\b/, 'refused'],
  [/^Incomplete response returned\b/, 'implementation'],
  [/^stream disconnected before completion\b|^error sending request\b|^timeout waiting for\b/, 'network'],
  [/\bNo space left on device\b/, 'disk-full'],
];
const STATUS_IN_MESSAGE = /(?:^unexpected status|last status:) (\d{3})\b/;

/** Only messages of the program when it ends before its first turn. */
const BY_STDERR: readonly (readonly [RegExp, FailureKind])[] = [
  [/\bNo space left on device\b/, 'disk-full'],
  [/^Error: thread\/resume.*\bno rollout found\b/m, 'session-lost'],
  [/^Error: .*\b(?:Not logged in|codex login)\b/m, 'auth'],
  [/^Error(: | loading )|^error: /m, 'environment'],
];

/** The failure, if any: from the turn's end first, then from the exit code, then from stderr. */
export function codexFailure(end: CodexEnd): Failure | undefined {
  const failure = failureOf(end);
  return failure === undefined || end.stderr === '' ? failure : { ...failure, evidence: end.stderr };
}

function failureOf({ exit, turn, error, stderr, now }: CodexEnd): Failure | undefined {
  if (turn.kind === 'failed') return failedTurn(turn.message, error, now);
  const bySignal = exit.kind === 'exited' ? signalFailure(exit.code) : exitFailure(exit);
  if (turn.kind === 'completed') {
    // A signal after the result does not invalidate it.
    return bySignal === undefined ? exitFailure(exit) : undefined;
  }
  if (bySignal !== undefined) return bySignal;
  const kind = exit.kind === 'exited' && exit.code !== 0 ? find(BY_STDERR, stderr) : undefined;
  if (kind !== undefined) return { kind, message: failureMessage(lastError(stderr)) };
  return exitFailure(exit) ?? { kind: 'crashed', message: 'It ended without a result' };
}

function failedTurn(message: string, error: RolloutError | undefined, now: number): Failure {
  const kind = kindOf(message, error);
  const failure = { kind, message: failureMessage(message) };
  const isLimit = kind === 'usage-limit' || kind === 'rate-limit';
  const resetAt = isLimit ? limitEnd(message, error?.at ?? now) : undefined;
  return resetAt === undefined ? failure : { ...failure, resetAt };
}

/** Codex reports exhausted credit as a usage limit, and a lost connection as "other": there its message is more specific. */
function kindOf(message: string, error: RolloutError | undefined): FailureKind {
  const bySentence = find(BY_MESSAGE, message);
  if (bySentence === 'billing') return bySentence;
  const status = error?.status ?? Number(STATUS_IN_MESSAGE.exec(message)?.[1] ?? Number.NaN);
  return BY_REASON.get(error?.reason ?? '') ?? statusFailure(status) ?? bySentence ?? 'unknown';
}

function find(table: readonly (readonly [RegExp, FailureKind])[], text: string): FailureKind | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}

function lastError(stderr: string): string {
  return stderr.split('\n').findLast((line) => /^error(: | loading )/i.test(line)) ?? stderr;
}

/** When a limit ends, from Codex' message, which has no seconds: it is the end of that minute. */
function limitEnd(message: string, from: number): number | undefined {
  const at = resetTimeIn(message, from);
  return at !== undefined && at % MINUTE_MS === 0 ? at + MINUTE_MS : at;
}
