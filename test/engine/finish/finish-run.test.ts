import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { RunControl } from '../../../src/engine/loop/control-runs.ts';
import { MODELS_STREAM, projectStream, runStream } from '../../../src/schema/ids.ts';
import { makeRunProject } from '../run-project.ts';

const AGENT = '#!/bin/sh\ncat >/dev/null\necho 1 >made.txt\n';
const OPTIONS = {
  agent: { kind: 'command', command: '../agent.sh', env: {} },
  config: { checks: ['test -e a.txt'] },
  files: { '../agent.sh': AGENT },
};

describe('a run whose tasks have ended', () => {
  it('ends with its branch in the repository, and reports its cost, proofs and results in the same transaction', async () => {
    await using project = await makeRunProject(OPTIONS);
    const state = await project.run('Make a file');
    const document = runDocument(state);
    expect([document.status, document.branch]).toEqual(['done', `mh/${state.start.run}`]);
    expect(project.git('rev-parse', `mh/${state.start.run}`)).toBe(state.tip.commit);
    expect(project.git('rev-parse', 'main')).toBe(state.start.base.commit);
    const ended = project.store.read(runStream(state.start.run)).at(-1);
    expect(ended?.type).toBe('run.ended');
    const shared = project.store.read(projectStream(state.start.project.id)).filter(({ at }) => at === ended?.at);
    expect(new Set(shared.map(({ type }) => type))).toEqual(new Set(['project.spent', 'project.proved']));
    expect(project.store.read(MODELS_STREAM).map(({ type, at }) => [type, at])).toEqual([['model.judged', ended?.at]]);
  });

  it('lands on its base where that is requested', async () => {
    await using project = await makeRunProject(OPTIONS);
    const state = await project.run('Make a file', { land: 'merge' });
    expect(state.landed).toMatchObject({ branch: 'main', how: 'merge' });
    expect(project.git('rev-parse', 'main')).toBe(state.landed?.commit);
    expect(project.git('ls-files').split('\n')).toContain('made.txt');
  });

  it('waits for a person when it cannot land, and keeps its work', async () => {
    await using project = await makeRunProject({ ...OPTIONS, config: { checks: ['test ! -e blocked'] } });
    const agent = `${AGENT}cd "$HOME/project" && echo x >blocked && git add . && git -c user.name=Ann -c user.email=ann@example.org commit --quiet --message=Blocked\n`;
    project.writeHome('agent.sh', agent);
    const state = await project.run('Make a file', { land: 'merge' });
    expect(state.status).toMatchObject({ kind: 'held', hold: { what: 'landing' } });
    expect(project.git('rev-parse', `mh/${state.start.run}`)).toBe(state.tip.commit);
  });

  it('waits with the reason while its branch cannot be moved, and ends when it is retried', async () => {
    await using project = await makeRunProject(OPTIONS);
    const lock = '$HOME/project/.git/refs/heads/mh';
    project.writeHome(
      'agent.sh',
      `${AGENT}mkdir -p ${lock}; for run in $(ls $HOME/data/workspaces | grep -o '^[a-z0-9]*' | sort -u); do touch ${lock}/$run.lock; done\n`,
    );
    const engine = project.newEngine();
    const active = await project.open(engine, 'Make a file');
    engine.run(active);
    await engine.idle();
    const held = project.stateOf(active.id);
    expect(held.status).toMatchObject({
      kind: 'held',
      hold: { what: 'trouble', reason: expect.stringMatching(/mh\/.*could not be moved.*\.lock/s) },
    });
    rmSync(join(project.repo, `.git/refs/heads/mh/${active.id}.lock`));
    const origin = { actor: { kind: 'person', name: 'Ann' }, via: 'cli' } as const;
    await new RunControl(engine, () => {}).submit(active.id, (state) => retryTasks(state, { reason: 'test' }), origin);
    await engine.idle();
    await engine.stop();
    const document = runDocument(project.stateOf(active.id));
    expect([document.status, document.branch]).toEqual(['done', `mh/${active.id}`]);
    expect(project.git('rev-parse', `mh/${active.id}`)).toBe(held.tip.commit);
  });
});
