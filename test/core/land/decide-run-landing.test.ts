import { describe, expect, it } from 'vitest';
import {
  recordBaseLanding,
  recordPullRequests,
  recordPushedBranch,
} from '../../../src/core/land/decide-run-landing.ts';
import { hasLanded } from '../../../src/core/run/state.ts';
import { added, given, landed, spec, started, worked } from '../../support/given.ts';

const story = given(started(), added(spec('a')), ...worked('a'), landed('a'));

describe('the landing of a run', () => {
  it('on its base is recorded with the tip that the merge contains', () => {
    const { state } = story.when(() =>
      recordBaseLanding({ branch: 'main', commit: 'merge', tip: 'tip', from: 'base' }),
    );
    expect(state.landed).toEqual({ branch: 'main', commit: 'merge', how: 'merge', url: null, tip: 'tip' });
    expect(hasLanded(state)).toBe(true);
  });

  it('does not cover commits that were added to the run branch later', () => {
    const { state } = story.when(() => recordBaseLanding({ branch: 'main', commit: 'old', tip: 'base', from: 'base' }));
    expect(hasLanded(state)).toBe(false);
  });

  it('as pull requests is recorded once for each of them', () => {
    const pullRequests = [
      { commit: 'a-commit', url: 'https://forge/1' },
      { commit: 'b-commit', url: 'https://forge/2' },
    ];
    const { events, state } = story.when((current) => recordPullRequests(current, { branch: 'main', pullRequests }));
    expect(events.map(({ data }) => data)).toEqual([
      { branch: 'main', commit: 'a-commit', how: 'pr', url: 'https://forge/1', tip: 'tip' },
      { branch: 'main', commit: 'b-commit', how: 'pr', url: 'https://forge/2', tip: 'tip' },
    ]);
    expect(hasLanded(state)).toBe(true);
  });

  it('records the pushed branch once for each commit', () => {
    const push = { branch: 'mh/r0000001', commit: 'tip' };
    const pushed = story.when((state) => recordPushedBranch(state, push));
    expect(pushed.state.pushed).toBe('tip');
    expect(recordPushedBranch(pushed.state, push)).toEqual([]);
    expect(recordPushedBranch(pushed.state, { ...push, commit: 'next' })).toHaveLength(1);
  });
});
