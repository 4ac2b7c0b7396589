import { z } from 'zod';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import { failureMessage } from '../exit-failure.ts';
import { resetTimeIn } from '../reset-time.ts';
import { statusFailure } from '../status-failure.ts';

const Coded = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });

const AUTH_REQUIRED = -32000;

/** Texts of errors that agents send without a specific code; never matched against messages of the model. */
const BY_TEXT: readonly (readonly [RegExp, FailureKind])[] = [
  [/usage limit|daily quota|hit your .* limit/i, 'usage-limit'],
  [/rate.?limit|too many requests|resource has been exhausted/i, 'rate-limit'],
  [/authenticat|unauthori[sz]ed|api[ -]key|log ?in\b/i, 'auth'],
  [/credit balance|billing|insufficient_quota|quota exceeded/i, 'billing'],
  [/context (window|length)|too long|maximum number of tokens|ran out of room/i, 'context-full'],
  [/model.*(not found|does not exist|not exist)|unknown model/i, 'model-not-found'],
  [/max_output_tokens|output token maximum/i, 'implementation'],
  [/overloaded|at capacity|high demand|unavailable|internal server error/i, 'overloaded'],
  [/ECONN|ENOTFOUND|ETIMEDOUT|fetch failed|network|connection|socket|stream (closed|disconnected)/i, 'network'],
  [
    /^terminated\b|timed out|malformed response|incomplete json|json parse error|end of json input|in json at position/i,
    'network',
  ],
];
/** Ambiguous statuses (agents use 500 for any other error): for these the text is more specific. */
const VAGUE: ReadonlySet<number> = new Set([0, 400, 429, 500]);

/** Classifies an error response received at `now`: by its code first, then by its text or by a status in its data. */
export function errorFailure(error: unknown, now: number): Failure {
  const { data: coded } = Coded.safeParse(error);
  if (coded === undefined) return { kind: 'crashed', message: failureMessage(String(error)) };
  const text = [coded.message, textIn(coded.data)].filter((part) => part !== '').join(': ');
  const status = /\b(?:status|code)["':\s]*(\d{3})\b|API Error: (\d{3})\b/i.exec(text);
  const named = Number(status?.[1] ?? status?.[2] ?? (coded.code >= 400 && coded.code < 600 ? coded.code : 0));
  const kind =
    (coded.code === AUTH_REQUIRED ? 'auth' : undefined) ?? kindByText(text, named) ?? statusFailure(named) ?? 'unknown';
  const isLimit = kind === 'usage-limit' || kind === 'rate-limit';
  const resetAt = isLimit ? resetTimeIn(text, now) : undefined;
  return { kind, message: failureMessage(text), ...(resetAt === undefined ? {} : { resetAt }) };
}

/** The failure for a stop reason, if any. */
export function stopFailure(stopReason: string, isStopped: boolean): Failure | undefined {
  switch (stopReason) {
    case 'end_turn':
      return undefined;
    case 'cancelled':
      return isStopped
        ? { kind: 'interrupted', message: 'It was stopped before it finished' }
        : { kind: 'refused', message: 'It gave up after a permission was denied' };
    case 'refusal':
      return { kind: 'refused', message: 'The model refused to continue' };
    case 'max_turn_requests':
      return { kind: 'budget', message: 'It reached its own turn limit' };
    case 'max_tokens':
      return { kind: 'implementation', message: 'Its answer was cut off by the token limit' };
    default:
      return { kind: 'unknown', message: `It stopped with ${stopReason}` };
  }
}

function kindByText(text: string, status: number): FailureKind | undefined {
  if (!VAGUE.has(status)) return undefined;
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

function textIn(data: unknown): string {
  if (data === undefined || data === null) return '';
  return typeof data === 'string' ? data : JSON.stringify(data);
}
