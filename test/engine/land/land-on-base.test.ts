import { describe, expect, it } from 'vitest';
import { landOnBase } from '../../../src/engine/land/land-on-base.ts';
import { CHECK, makeLandingRun } from './landing-run.ts';

/** Commits to main while the check of the merge runs, as often as there are lines in `races`. */
const RACING = `${CHECK} && if [ -s "$HOME/races" ] && [ -e landed.txt ]; then sed -i 1d "$HOME/races"; n=$(wc -l <"$HOME/races"); cd "$HOME/project" && echo "$n" >"race-$n.txt" && git add . && git -c user.name=Ann -c user.email=ann@example.org commit --quiet --message=Race; fi`;

describe('landing a run on its base', () => {
  it('merges it with the current base, checks the merge, and moves the branch forward', async () => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.land('a');
    run.project.commit('main', 'main', { 'theirs.txt': 't\n' });
    expect(await landOnBase(run.engine, run.active)).toEqual({ kind: 'landed' });
    const { landed, tip } = run.active.ledger.state;
    expect(landed).toMatchObject({ branch: 'main', how: 'merge', tip: tip.commit });
    expect(run.project.git('rev-parse', 'main')).toBe(landed?.commit);
    expect(run.project.git('ls-files').split('\n')).toEqual(expect.arrayContaining(['one.txt', 'theirs.txt']));
    expect(run.checks()).toBe(2);
  });

  it('checks again after it lost a race, and lands on what won it', async () => {
    await using run = await makeLandingRun({ check: RACING, files: { '../races': '' } });
    await run.work('a', { files: { 'landed.txt': '1\n' } });
    await run.land('a');
    run.project.writeHome('races', 'race\n');
    run.project.commit('main', 'main', { 'theirs.txt': 't\n' });
    const before = run.checks();
    expect(await landOnBase(run.engine, run.active)).toEqual({ kind: 'landed' });
    expect(run.checks() - before).toBe(2);
    expect(run.project.git('ls-files').split('\n')).toEqual(
      expect.arrayContaining(['landed.txt', 'race-0.txt', 'theirs.txt']),
    );
  });

  it('leaves it to a person after it lost five races', async () => {
    await using run = await makeLandingRun({ check: RACING, files: { '../races': '' } });
    await run.work('a', { files: { 'landed.txt': '1\n' } });
    await run.land('a');
    run.project.commit('main', 'main', { 'theirs.txt': 't\n' });
    run.project.writeHome('races', 'race\n'.repeat(9));
    expect(await landOnBase(run.engine, run.active)).toMatchObject({
      kind: 'held',
      hold: { what: 'landing', reason: expect.stringContaining('main moved 5 times') },
    });
    expect(run.active.ledger.state.landed).toBeNull();
  });

  it.each([
    ['conflicts with it', { 'a.txt': 'theirs\n' }, 'conflicts with main'],
    ['fails its check after the merge', { bad: 'x\n' }, 'check fails on the merge with main'],
  ])('leaves it to a person when it %s', async (_, theirs, reason) => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'a.txt': 'mine\n' } });
    await run.land('a');
    run.project.commit('main', 'main', theirs);
    const tip = run.project.git('rev-parse', 'main');
    expect(await landOnBase(run.engine, run.active)).toMatchObject({
      kind: 'held',
      hold: { what: 'landing', reason: expect.stringContaining(reason) },
    });
    expect(run.project.git('rev-parse', 'main')).toBe(tip);
  });
});
