import { z } from 'zod';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import { failureMessage } from '../failure-message.ts';
import { statusFailure } from '../status-failure.ts';

const Coded = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });

const AUTH_REQUIRED = -32000;

/** Words of an error that an agent answers with instead of a code of its own; never words of a message. */
const BY_WORDS: readonly (readonly [RegExp, FailureKind])[] = [
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
/** Statuses that stand for several things, 500 also for whatever an agent has no status for: words say more. */
const VAGUE: ReadonlySet<number> = new Set([0, 400, 429, 500]);

/** What an error that the agent answered with means: its code first, a status in its data or words after that. */
export function errorFailure(error: unknown): Failure {
  const { data: coded } = Coded.safeParse(error);
  if (coded === undefined) return { kind: 'crashed', message: failureMessage(String(error)) };
  const text = [coded.message, textIn(coded.data)].filter((part) => part !== '').join(': ');
  const status = /\b(?:status|code)["':\s]*(\d{3})\b|API Error: (\d{3})\b/i.exec(text);
  const named = Number(status?.[1] ?? status?.[2] ?? (coded.code >= 400 && coded.code < 600 ? coded.code : 0));
  const kind =
    (coded.code === AUTH_REQUIRED ? 'auth' : undefined) ?? wordsKind(text, named) ?? statusFailure(named) ?? 'unknown';
  return { kind, message: failureMessage(text) };
}

/** What the end of a turn means, apart from its being done. */
export function stopFailure(stopReason: string, isStopped: boolean): Failure | undefined {
  switch (stopReason) {
    case 'end_turn':
      return undefined;
    case 'cancelled':
      return isStopped
        ? { kind: 'interrupted', message: 'It was stopped before it had finished' }
        : { kind: 'refused', message: 'It gave up when it was refused a permission' };
    case 'refusal':
      return { kind: 'refused', message: 'The model refused to go on' };
    case 'max_turn_requests':
      return { kind: 'budget', message: 'It used all the turns that it allows itself' };
    case 'max_tokens':
      return { kind: 'implementation', message: 'Its answer was cut off by the limit of tokens' };
    default:
      return { kind: 'unknown', message: `It stopped with ${stopReason}` };
  }
}

function wordsKind(text: string, status: number): FailureKind | undefined {
  if (!VAGUE.has(status)) return undefined;
  return BY_WORDS.find(([words]) => words.test(text))?.[1];
}

function textIn(data: unknown): string {
  if (data === undefined || data === null) return '';
  return typeof data === 'string' ? data : JSON.stringify(data);
}
