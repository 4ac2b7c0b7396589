import { describe, expect, it } from 'vitest';
import { approve } from '../../../src/core/run/answer-hold.ts';
import { holdRun } from '../../../src/core/run/decide-run.ts';
import { landOnBase } from '../../../src/engine/land/land-on-base.ts';
import { CHECK, makeLandingRun } from './landing-run.ts';

/** Commits to main while the check of the merge runs, as often as there are lines in `races`. */
const RACING = `${CHECK} && if [ -s "$HOME/races" ] && [ -e landed.txt ]; then sed -i 1d "$HOME/races"; n=$(wc -l <"$HOME/races"); cd "$HOME/project" && echo "$n" >"race-$n.txt" && git add . && git -c user.name=Ann -c user.email=ann@example.org commit --quiet --message=Race; fi`;

/** Prints what the files in lib contain, except those that the file `excluded` names, and counts its runs. */
const PRINTED = 'echo ran >>"$HOME/checks"; cat $(ls lib/* | grep -v -x -f excluded)';
const cargo = (...tests: string[]) =>
  [
    `running ${tests.length} tests`,
    ...tests.map((name) => `test ${name} ... ok`),
    `test result: ok. ${tests.length} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s`,
    '',
  ].join('\n');
const PRINTING = { check: PRINTED, files: { excluded: 'none\n', 'lib/a': cargo('a'), 'lib/b': cargo('b') } };

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

  it('lands on a base that has moved with the tests of both, without those that either removed', async () => {
    await using run = await makeLandingRun(PRINTING);
    await run.checkBase();
    await run.work('a', { files: { 'lib/a': cargo('a', 'mine') } });
    await run.land('a');
    run.project.commit('main', 'main', { 'lib/b': null, 'lib/theirs': cargo('theirs') });
    const before = run.checks();
    expect(await landOnBase(run.engine, run.active)).toEqual({ kind: 'landed' });
    // Once on the merge, and once on the base that has moved.
    expect(run.checks() - before).toBe(2);
    expect(run.active.ledger.state.landingEvidence).toMatchObject([{ verdict: 'pass', tests: { ran: 3 } }]);
    expect(run.active.ledger.state.landingEvidence[0]?.flags).toBeUndefined();
  });

  it('holds a merge on which tests of a base that has moved do not run, until a person approves that tree', async () => {
    await using run = await makeLandingRun(PRINTING);
    await run.checkBase();
    await run.work('a', { files: { excluded: 'lib/c\n' } });
    await run.land('a');
    if (run.status('a') === 'held') {
      await run.approve('a');
      await run.land('a');
    }
    expect(run.status('a')).toBe('done');
    run.project.commit('main', 'main', { 'lib/c': cargo('theirs') });
    const before = run.checks();
    const outcome = await landOnBase(run.engine, run.active);
    const reason = expect.stringContaining('a test of main or of this run did not run: theirs');
    expect(outcome).toMatchObject({ kind: 'held', hold: { what: 'landing', reason } });
    if (outcome.kind !== 'held') return;
    expect(await landOnBase(run.engine, run.active)).toMatchObject({ kind: 'held' });
    expect(run.checks() - before).toBe(2);
    const { hold } = outcome;
    expect(hold.nextStep).toBe(`manyhands land ${run.active.id} --accept ${hold.subject?.slice(0, 12)}`);
    expect(await landOnBase(run.engine, run.active, { accept: '00000000' })).toMatchObject({ kind: 'held' });
    await run.engine.submit(run.active, (state) => holdRun(state, hold)).committed;
    await run.engine.submit(run.active, (state) => approve(state, {})).committed;
    expect(await landOnBase(run.engine, run.active)).toEqual({ kind: 'landed' });
  });

  it('does not land a merge on which no test runs any more', async () => {
    await using run = await makeLandingRun({ ...PRINTING, check: 'test -e x && test -e y || cat lib/*' });
    await run.checkBase();
    await run.work('a', { files: { x: '' } });
    await run.land('a');
    run.project.commit('main', 'main', { y: '' });
    const reason = expect.stringContaining('exited with 0 but reported no tests; 2 ran on main or in this run');
    expect(await landOnBase(run.engine, run.active)).toMatchObject({ kind: 'held', hold: { reason } });
  });
});
