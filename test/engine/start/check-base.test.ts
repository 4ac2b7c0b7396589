import { expect, it } from 'vitest';
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

it('records a check that fails on the base, which later runs know too', async () => {
  await using project = await makeRunProject(counted('false'));
  const engine = project.newEngine();
  const run = await project.open(engine, 'One');
  await checkBase(engine, run, run.checks);
  expect(run.ledger.state.baseEvidence).toMatchObject([{ verdict: 'fail' }]);
  expect(run.ledger.state.proven).toEqual({});
  const types = project.store.read(`project/${run.project.id}`).map(({ type }) => type);
  expect(types).toContain('project.proved');
  await engine.stop();
});
