import { rename } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runRef } from '../../../src/engine/land/land-tasks.ts';
import { openLostProject, openRun } from '../../../src/engine/start/open-run.ts';
import { readRef, writeRef } from '../../../src/git/refs/mirror-refs.ts';
import { makeRunProject } from '../run-project.ts';

it('corrects a ref that a crash left elsewhere, and keeps where it was', async () => {
  await using project = await makeRunProject({});
  const engine = project.newEngine();
  const { id, project: opened, ledger } = await project.open(engine, 'Do it');
  const { mirror } = opened;
  const stray = project.commit('stray', 'main', { 'stray.txt': 's\n' });
  project.git('push', '--quiet', mirror.dir, `${stray}:refs/manyhands/test/stray`);
  const tip = ledger.state.tip.commit;
  await writeRef(mirror, { ref: runRef(id), to: stray, expected: tip });
  await openRun(engine, id);
  expect(await readRef(mirror, runRef(id))).toBe(tip);
  expect(await readRef(mirror, `refs/manyhands/strays/${id}/${stray}`)).toBe(stray);
});

it('uses the recorded settings with the current values of their variables', async () => {
  await using project = await makeRunProject({});
  const engine = project.newEngine();
  const { id } = await project.open(engine, 'Do it');
  const run = await openRun(engine, id);
  expect(run.ledger.state.start.config.agents.one?.env).toEqual({ ANTHROPIC_API_KEY: '' });
  expect(run.config.agents.one?.env).toEqual({ ANTHROPIC_API_KEY: 'test-key' });
  expect(run.redact('the key is test-key')).toBe('the key is [redacted]');
});

it('refuses a run whose repository is gone, and opens it from its mirror to be cancelled', async () => {
  await using project = await makeRunProject({});
  const engine = project.newEngine();
  const { id, ledger } = await project.open(engine, 'Do it');
  await rename(project.repo, `${project.repo}-moved`);
  await expect(openRun(engine, id)).rejects.toMatchObject({ code: 'REPOSITORY_GONE' });
  const lost = await openLostProject(engine, ledger.state.start.project);
  const run = await openRun(engine, id, { state: project.stateOf(id), project: lost });
  expect(await readRef(run.project.mirror, runRef(id))).toBe(ledger.state.tip.commit);
});
