import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureTitle, followUp } from '../../src/failures/registry.ts';
import { FailureKind, type FollowUp } from '../../src/schema/failure.ts';
import { code, type Page, referencePage, table } from './markdown.ts';

const NOW = 0;
const MANY_ATTEMPTS = 60;
const RESET_AT = 1_000_000_000_000;
/** The sentence above a rule says why it is so. */
const REASON = /\/\*\*\s*([^*]+?)\s*\*\/\nexport const/;

/** Every way an attempt can fail, and what follows. */
export async function failuresPage(root: string): Promise<Page> {
  const rows = await Promise.all(
    FailureKind.options.map(async (kind) => {
      const source = await readFile(join(root, `src/failures/${kind}.ts`), 'utf8');
      return [code(kind), failureTitle(kind), consequence(kind), REASON.exec(source)?.[1] ?? ''];
    }),
  );
  return referencePage('failures', 'Failures of an attempt', [
    'Each attempt that fails has one of these kinds, from exit codes and structured output, never from free text of an agent. The kind decides what happens next. `limits.attempts` bounds the attempts that count; at most 20 retries do not count; `limits.runAttempts` bounds all attempts of a run. After a failure of the agent itself, the next attempt waits at least `limits.retryDelaySeconds`; after a failed check it starts at once. The prompt of a new attempt contains the reason why the last one was not accepted.',
    table(['kind', 'name', 'what follows', 'why'], rows),
  ]);
}

function consequence(kind: FailureKind): string {
  const first = follow(kind, 1);
  switch (first.action) {
    case 'retry':
      return retryText(kind, first);
    case 'switch':
      return `Another agent takes over; this one is not used for ${timeText(first.limitedUntil - NOW)}${namesReset(kind)}. Does not count.`;
    case 'block':
      return 'The task is blocked, with the command that continues it.';
    case 'fail':
      return 'The task fails.';
  }
}

function retryText(kind: FailureKind, first: Extract<FollowUp, { action: 'retry' }>): string {
  const all = Array.from({ length: MANY_ATTEMPTS }, (_, index) => follow(kind, index + 1));
  const delays = all.map((each) => (each.action === 'retry' ? each.delayMs : 0));
  const free = all.filter((each) => each.action === 'retry' && each.free).length;
  const [shortest, longest] = [Math.min(...delays), Math.max(...delays)];
  const wait = shortest === longest ? timeText(shortest) : `${timeText(shortest)}, later up to ${timeText(longest)}`;
  return [
    longest === 0 ? 'Tried again.' : `Tried again after ${wait}.`,
    ...(first.resume ? ['Continues the session of the agent, if it has one.'] : []),
    ...(free === 0 ? [] : [`The first ${free} times do not count.`]),
  ].join(' ');
}

function namesReset(kind: FailureKind): string {
  const named = followUp({ kind, message: '', resetAt: RESET_AT }, { attempt: 1, now: NOW });
  return named.action === 'switch' && named.limitedUntil === RESET_AT
    ? ', or until the reset that its provider names'
    : '';
}

function follow(kind: FailureKind, attempt: number): FollowUp {
  return followUp({ kind, message: '' }, { attempt, now: NOW });
}

function timeText(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
}
