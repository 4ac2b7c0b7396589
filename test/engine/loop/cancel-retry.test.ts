import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../../src/core/run/decide-run.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { makeRunProject } from '../run-project.ts';

describe('a run that cannot be cancelled because its data is gone', () => {
  it('is put down after a few tries, and does not keep the engine busy for ever', async () => {
    await using place = await makeRunProject({});
    const engine = place.newEngine();
    const { state, project } = await place.start(engine, 'Mend it');
    const run = await openRun(engine, state.start.run, { state, project });
    await engine.submit(run, (current) => cancelRun(current, 'a test')).committed;
    await rm(place.home.mirrors, { recursive: true });
    run.endCommit = { commit: 'a commit that is not there', reason: 'a test' };
    engine.run(run);
    await engine.idle();
    expect([...engine.runs.keys()]).toEqual([]);
    expect(place.stateOf(state.start.run).status.kind).toBe('cancelling');
    await engine.stop();
  });
});
