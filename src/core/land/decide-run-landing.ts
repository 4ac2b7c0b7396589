import type { RunEvent } from '../../schema/event.ts';
import type { RunState } from '../run/state.ts';

/** Records that the run branch reached its base: the merge, the tip that it contains, and where the base was before. */
export function recordBaseLanding(what: { branch: string; commit: string; tip: string; from: string }): RunEvent[] {
  return [{ type: 'run.landed', data: { ...what, how: 'merge' } }];
}

/** Records the pull requests through which the work of a run lands on a branch. */
export function recordPullRequests(
  { tip }: RunState,
  what: { branch: string; pullRequests: readonly { commit: string; url: string }[] },
): RunEvent[] {
  return what.pullRequests.map(({ commit, url }) => ({
    type: 'run.landed',
    data: { branch: what.branch, commit, how: 'pr', url, tip: tip.commit },
  }));
}

/** Records that the branch of the run in the user's repository is at this commit. */
export function recordPushedBranch(state: RunState, what: { branch: string; commit: string }): RunEvent[] {
  return state.pushed === what.commit ? [] : [{ type: 'run.branch-pushed', data: what }];
}
