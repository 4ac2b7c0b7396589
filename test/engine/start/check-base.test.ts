import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { approve } from '../../../src/core/run/answer-hold.ts';
import { checkBase } from '../../../src/engine/start/check-base.ts';
import { makeRunProject } from '../run-project.ts';

const counted = (command: string) => ({ config: { checks: [`echo ran >>"$HOME/checks"; ${command}`] } });

it('checks the base once, and a later run from the same tree reuses the result', async () => {
  await using project = await makeRunProject(counted('true'));
  const engine = project.newEngine();
  const first = await project.open(engine, 'One');
  await checkBase(engine, first, first.checks);
  const second = await project.open(engine, 'Two');
  await checkBase(engine, second, second.checks);
  expect(first.ledger.state.baseEvidence).toMatchObject([{ verdict: 'pass', reused: false }]);
  expect(second.ledger.state.baseEvidence).toMatchObject([{ verdict: 'pass', reused: true }]);
  expect(project.lines('checks')).toHaveLength(1);
  await engine.stop();
});

it('runs a check that failed on the base again in the next run, because the machine may have changed', async () => {
  await using project = await makeRunProject({ config: { checks: ['test -e "$HOME/installed"'] } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  await checkBase(engine, run, run.checks);
  expect(run.ledger.state.baseEvidence).toMatchObject([{ verdict: 'fail' }]);
  expect(run.ledger.state.proven).toEqual({});
  project.writeHome('installed', '');
  const next = await project.open(engine, 'Two');
  await checkBase(engine, next, next.checks);
  expect(next.ledger.state.baseEvidence).toMatchObject([{ verdict: 'pass', reused: false }]);
  await engine.stop();
});

it('records each failure as soon as the check fails, before it is repeated and before the next check', async () => {
  const log = (name: string, end: string) => `echo ${name} >>"$HOME/order"; ${end}`;
  await using project = await makeRunProject({ config: { checks: [log('one', 'exit 3'), log('two', 'true')] } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  const failedAfter: string[][] = [];
  const stop = engine.store.onAppend(() => {
    if (run.ledger.state.baseFailures !== undefined) failedAfter.push(project.lines('order'));
  });
  await checkBase(engine, run, run.checks);
  stop();
  expect(failedAfter[0]).toEqual(['one']);
  expect(project.lines('order')).toEqual(['one', 'two']); // the repetition has another HOME
  expect(run.ledger.state.baseFailures).toMatchObject([{ verdict: 'fail', exitCode: 3 }]);
  expect(run.ledger.state.baseEvidence).toMatchObject([
    { verdict: 'fail', reruns: [{ exitCode: 3 }] },
    { verdict: 'pass' },
  ]);
  await engine.stop();
});

it('reports a check that cannot start at once, without running it again or running the next one', async () => {
  const checks = ['echo ran >>"$HOME/checks"; no-such-program', 'echo next >>"$HOME/checks"'];
  await using project = await makeRunProject({ config: { checks } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  await expect(checkBase(engine, run, run.checks)).rejects.toMatchObject({ code: 'CHECK_CANNOT_START' });
  expect(project.lines('checks')).toEqual(['ran']);
  await engine.stop();
});

it.each([
  ['a program that is not installed', 'no-such-program --all', 'the command was not found: no-such-program'],
  ['a command that the shell cannot parse', 'echo "', 'the shell cannot parse the command'],
])('holds the run before any agent starts for %s, and checks again once approved', async (_what, check, error) => {
  await using project = await makeRunProject({ config: { checks: [check] } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  engine.run(run);
  await engine.idle();
  const { status, order, baseEvidence } = run.ledger.state;
  expect(status).toMatchObject({ kind: 'held', hold: { what: 'trouble', reason: expect.stringContaining(error) } });
  expect(status).toMatchObject({ hold: { reason: expect.stringContaining('correct --check or checks') } });
  expect([order, baseEvidence]).toEqual([[], null]);
  engine.submit(run, (state) => approve(state, {}));
  await engine.idle();
  expect(run.ledger.state.status).toMatchObject({ kind: 'held', hold: { what: 'trouble' } });
  await engine.stop();
});

it('does not reuse the result of a program that was missing in an earlier run', async () => {
  await using project = await makeRunProject({ config: { checks: ['"$HOME/tool"'] } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  await expect(checkBase(engine, run, run.checks)).rejects.toMatchObject({ code: 'CHECK_CANNOT_START' });
  writeFileSync(join(project.root, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  await checkBase(engine, run, run.checks);
  expect(run.ledger.state.baseEvidence).toMatchObject([{ verdict: 'pass' }]);
  await engine.stop();
});

it('holds the run for a set-up that fails, reports it once, and runs it again once approved', async () => {
  const setup = ['echo ran >>"$HOME/setups"; exit 7'];
  await using project = await makeRunProject({ config: { checks: ['true', 'test -d .'], workspace: { setup } } });
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  engine.run(run);
  await engine.idle();
  const { status, baseEvidence, order } = run.ledger.state;
  expect(baseEvidence).toMatchObject([{ gate: 'set-up', verdict: 'error', exitCode: 7 }]);
  expect(order).toEqual([]);
  const reason = expect.stringMatching(/^The set-up command .* ended with exit code 7: .*correct workspace\.setup/);
  expect(status).toMatchObject({ kind: 'held', hold: { what: 'trouble', reason } });
  // A check that could not run is repeated once.
  expect(project.lines('setups').length).toBeLessThanOrEqual(2);
  const before = project.lines('setups').length;
  engine.submit(run, (state) => approve(state, {}));
  await engine.idle();
  expect(run.ledger.state.status).toMatchObject({ kind: 'held', hold: { what: 'trouble' } });
  expect(project.lines('setups').length).toBeGreaterThan(before);
  expect(run.ledger.state.order).toEqual([]);
  await engine.stop();
});
