import { describe, expect, it } from 'vitest';
import { approve } from '../../../src/core/run/answer-hold.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { outputReader } from '../../../src/engine/loop/ledger.ts';
import { spec } from '../../support/given.ts';
import { CHECK, makeLandingRun } from './landing-run.ts';

describe('a batch of tasks', () => {
  it('lands as one merge that is checked once', async () => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.work('b', { files: { 'two.txt': '2\n' } });
    await run.land('a', 'b');
    expect([run.status('a'), run.status('b'), run.checks()]).toEqual(['done', 'done', 1]);
    expect(await run.files()).toEqual(expect.arrayContaining(['one.txt', 'two.txt']));
    expect(run.task('b').evidence).toMatchObject([
      { gate: 'check', verdict: 'pass', tree: run.active.ledger.state.tip.tree },
    ]);
  });

  it('is bisected when its check fails: the bad task is retried from its merge, the others land', async () => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.work('b', { files: { bad: 'x\n' } });
    await run.work('c', { files: { 'three.txt': '3\n' } });
    await run.work('d', { files: { 'four.txt': '4\n' } });
    await run.land('a', 'b', 'c', 'd');
    expect(['a', 'b', 'c', 'd'].map(run.status)).toEqual(['done', 'ready', 'done', 'done']);
    const files = await run.files();
    expect(files).toEqual(expect.arrayContaining(['one.txt', 'three.txt', 'four.txt']));
    expect(files).not.toContain('bad');
    expect(run.task('b').lesson).toContain('check failed on the merged tree with exit code');
    expect(run.task('b').counted).toBe(1);
    expect(run.task('b').from?.commit).not.toBe(run.active.ledger.state.start.base.commit);
  });

  it('does not check a tree again that is already proven', async () => {
    await using run = await makeLandingRun({ check: `${CHECK} && echo all is well` });
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.land('a');
    await run.work('b', { files: { 'one.txt': '1\n' } });
    await run.land('b');
    expect([run.status('b'), run.checks()]).toEqual(['done', 1]);
    expect(run.task('b').evidence).toMatchObject([{ gate: 'check', verdict: 'pass', reused: true }]);
    const { tasks } = runDocument(run.active.ledger.state, outputReader(run.engine.store, run.active.id));
    expect(tasks.map(({ evidence }) => evidence[0]?.output)).toEqual(['all is well\n', 'all is well\n']);
  });

  it('is blocked with its work, and its attempts are not counted, when the check itself cannot run', async () => {
    await using run = await makeLandingRun({ config: { workspace: { setup: ['exit 3'] } } });
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.work('b', { files: { 'two.txt': '2\n' }, spec: { track: 'web' } });
    await run.land('a', 'b');
    for (const key of ['a', 'b']) {
      expect([run.status(key), run.task(key).counted, run.task(key).free]).toEqual(['blocked', 0, 0]);
      expect(run.task(key).phase).toMatchObject({ landing: { ref: `refs/user/heads/work-${key}` } });
    }
    expect(await run.files()).not.toContain('one.txt');
  });

  it('repeats a check that could not run, and lands when it can', async () => {
    const setup = 'echo ran >>"$HOME/setups"; test "$(wc -l <"$HOME/setups")" -gt 1';
    await using run = await makeLandingRun({ config: { workspace: { setup: [setup] } } });
    await run.work('a', { files: { 'one.txt': '1\n' }, spec: { track: 'web' } });
    await run.land('a');
    expect(run.status('a')).toBe('done');
    expect(run.project.lines('setups').length).toBeGreaterThan(1);
  });
});

describe('a conflict', () => {
  it('with a task of the same batch waits for the next landing, and then becomes a resolve task', async () => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'a.txt': 'mine\n' } });
    await run.work('b', { files: { 'a.txt': 'yours\n' } });
    await run.land('a', 'b');
    expect([run.status('a'), run.status('b')]).toEqual(['done', 'landing']);
    const tip = run.active.ledger.state.tip.commit;
    await run.land('b');
    expect(run.task('b').phase).toMatchObject({ status: 'conflicted', onto: tip, files: ['a.txt'] });
    expect(run.lastTask()).toMatchObject({
      spec: { role: 'resolve', resolves: 'b', gates: [{ name: 'check' }] },
      phase: { status: 'ready' },
    });
  });

  it('is done when its resolver lands', async () => {
    await using run = await makeLandingRun();
    await run.work('a', { files: { 'a.txt': 'mine\n' } });
    await run.work('b', { files: { 'a.txt': 'yours\n' } });
    await run.land('a');
    await run.land('b');
    const { commit } = run.active.ledger.state.tip;
    run.project.git('fetch', '--quiet', run.active.project.mirror.dir, commit);
    const resolver = run.lastTask().spec.key;
    await run.deliver(resolver, { files: { 'a.txt': 'both\n' }, from: commit });
    await run.land(resolver);
    expect([run.status(resolver), run.status('b')]).toEqual(['done', 'done']);
  });
});

describe('a person decides', () => {
  it('names the file of a held change once', async () => {
    const before = JSON.stringify({ scripts: { test: 'sh a.sh' } });
    const files = { 'web/package.json': before, 'a.sh': 'exit 0\n' };
    await using run = await makeLandingRun({ check: 'cd web && npm test', files });
    await run.work('a', { files: { 'web/package.json': JSON.stringify({ scripts: { test: 'true' } }) } });
    await run.land('a');
    const reason =
      'It changes what decides how the checks run: web/package.json changes the script "test", which a check can reach';
    expect(run.task('a').phase).toMatchObject({ status: 'held', hold: { what: 'guard', reason } });
  });

  it('about work that changes how the checks run, while the other tasks land', async () => {
    const check = 'sh check.sh';
    await using run = await makeLandingRun({ check, files: { 'check.sh': 'test ! -e bad\n' } });
    await run.work('a', { files: { 'check.sh': 'true\n', bad: 'x\n' } });
    await run.work('b', { files: { 'two.txt': '2\n' } });
    await run.land('a', 'b');
    expect(run.task('a').phase).toMatchObject({ status: 'held', hold: { what: 'guard', files: ['check.sh'] } });
    expect([run.status('b'), (await run.files()).includes('bad')]).toEqual(['done', false]);
    await run.engine.submit(run.active, (state) => approve(state, { task: 'a' })).committed;
    await run.land('a');
    expect([run.status('a'), (await run.files()).includes('bad')]).toEqual(['done', true]);
  });

  it('about weakened tests, which fail in the version of the branch', async () => {
    const check = 'for test in test/*.test.sh; do sh "$test" || exit 1; done';
    await using run = await makeLandingRun({
      check,
      files: { 'test/price.test.sh': 'grep -q 10 price.txt\n', 'price.txt': '10\n' },
    });
    await run.work('a', { files: { 'price.txt': '11\n', 'test/price.test.sh': 'true\n' } });
    await run.land('a');
    expect(run.task('a').phase).toMatchObject({
      status: 'held',
      hold: { what: 'guard', files: ['test/price.test.sh'], reason: expect.stringContaining('It changes tests') },
    });
  });

  it('about an attempt with a blocking risk', async () => {
    await using run = await makeLandingRun();
    const flag = {
      risk: 'destructive-command' as const,
      severity: 'high' as const,
      detail: 'it ran rm -rf /',
      blocking: true,
    };
    await run.work('a', { files: { 'one.txt': '1\n' }, flags: [flag] });
    await run.land('a');
    expect(run.task('a').phase).toMatchObject({ status: 'held', hold: { what: 'risk' } });
    expect(run.checks()).toBe(0);
  });
});

it('passes the merged work to its verifier, and lands nothing before the verdict', async () => {
  await using run = await makeLandingRun();
  const { limits } = spec('a');
  const verify = { role: 'verify', prompt: 'Verify it', steps: [], rounds: 1, fixRole: 'fix', limits };
  await run.work('a', { files: { 'one.txt': '1\n' }, spec: { verify } });
  await run.land('a');
  const { phase } = run.task('a');
  expect([phase.status, run.checks()]).toEqual(['verifying', 1]);
  const candidate = phase.status === 'verifying' ? phase.candidate.commit : '';
  expect(run.lastTask().spec).toMatchObject({ verifies: 'a', access: 'read', from: { commit: candidate } });
  expect(await run.files()).not.toContain('one.txt');
});
