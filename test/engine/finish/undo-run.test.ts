import { describe, expect, it } from 'vitest';
import { undoRun } from '../../../src/engine/finish/undo-run.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import type { Origin } from '../../../src/schema/actor.ts';
import { makeRunProject } from '../run-project.ts';

const OPTIONS = {
  agent: { kind: 'command', command: '../agent.sh', env: {} },
  config: { checks: ['test -e a.txt'] },
  files: { '../agent.sh': '#!/bin/sh\ncat >/dev/null\necho 1 >made.txt\n' },
};
const ANN: Origin = { actor: { kind: 'person', name: 'ann' }, via: 'http' };
const REQUEST = { dryRun: false, branch: false, reason: 'a test', origin: ANN };

describe('undoing a run', () => {
  it('reverts its landing with a new commit, once, and keeps later commits', async () => {
    await using project = await makeRunProject(OPTIONS);
    const { start } = await project.run('Make a file', { land: 'merge' });
    project.commit('main', 'main', { 'later.txt': 'l\n' });
    const engine = project.newEngine();
    const run = await openRun(engine, start.run);
    const landed = project.git('rev-parse', 'main');
    const result = await undoRun(engine, run, REQUEST);
    expect(result.reverted).toMatchObject({ branch: 'main', commit: project.git('rev-parse', 'main') });
    expect(project.git('merge-base', 'main', landed)).toBe(landed);
    expect(project.git('ls-files').split('\n')).toEqual(expect.arrayContaining(['a.txt', 'later.txt']));
    expect(project.git('ls-files')).not.toContain('made.txt');
    expect(project.store.read(run.ledger.stream).find(({ type }) => type === 'run.undone')?.origin).toEqual(ANN);
    await expect(undoRun(engine, run, REQUEST)).rejects.toThrow('was already undone');
    await engine.stop();
  });

  it('changes nothing in a dry run', async () => {
    await using project = await makeRunProject(OPTIONS);
    const { start } = await project.run('Make a file', { land: 'merge' });
    const before = project.git('rev-parse', 'main');
    const engine = project.newEngine();
    const run = await openRun(engine, start.run);
    const result = await undoRun(engine, run, { ...REQUEST, dryRun: true });
    expect(result.reverted).toMatchObject({ commit: null, checks: [{ verdict: null }] });
    expect([project.git('rev-parse', 'main'), run.ledger.state.undone]).toEqual([before, null]);
    await engine.stop();
  });

  it('deletes the branch of a run on request, after its commits were saved', async () => {
    await using project = await makeRunProject(OPTIONS);
    const { start, tip } = await project.run('Make a file');
    const engine = project.newEngine();
    const run = await openRun(engine, start.run);
    await expect(undoRun(engine, run, REQUEST)).rejects.toThrow(`landed only on its branch mh/${start.run}`);
    const { deleted } = await undoRun(engine, run, { ...REQUEST, branch: true });
    expect(deleted).toMatchObject({ branch: `mh/${start.run}`, commit: tip.commit });
    expect(project.git('branch', '--list', 'mh/*')).toBe('');
    const removed = project.store.read(run.ledger.stream).find(({ type }) => type === 'run.branch-removed');
    expect(removed?.origin).toEqual(ANN);
    expect(project.git('--git-dir', run.project.mirror.dir, 'rev-parse', deleted?.ref ?? '')).toBe(tip.commit);
    await engine.stop();
  });
});
