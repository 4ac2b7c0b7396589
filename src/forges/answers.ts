import type { PullRequest } from '../schema/pull-request.ts';
import type { Answer, ForgeChecks } from './forge.ts';

/** One check at a forge. */
export type CheckState = { name: string; state: 'pass' | 'fail' | 'pending' };

export const DONE: Answer<void> = { ok: true, value: undefined };

/** An answer of which only success or failure is needed. */
export function ignoreValue(answer: Answer<unknown>): Answer<void> {
  return answer.ok ? DONE : answer;
}

/** The pull request of a branch of the repository itself. */
export function ofBranch(answer: Answer<PullRequest[]>, branch: string): Answer<PullRequest | undefined> {
  if (!answer.ok) return answer;
  return { ok: true, value: answer.value.find(({ head, fork }) => head.branch === branch && !fork) };
}

/** The combined state of several checks: failed if one failed, else pending if one is pending. */
export function combineChecks(all: readonly CheckState[]): ForgeChecks {
  const red = all.filter(({ state }) => state === 'fail').map(({ name }) => name);
  if (red.length > 0) return { state: 'fail', red };
  if (all.some(({ state }) => state === 'pending')) return { state: 'pending', red };
  return { state: all.length === 0 ? 'none' : 'pass', red };
}
