import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Follower, openCaller } from '../../support/caller.ts';
import { makeScratch } from '../../support/scratch.ts';

const AGENT = `#!/bin/sh
cat > /dev/null
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
echo "$MANYHANDS_RUN" > "$MANYHANDS_RUN.txt"
`;
const CONFIG = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

describe('a batch that the engine runs', () => {
  it('reports each item as it is started, keeps its engine busy, and then its end', async () => {
    const files = { 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG };
    const batches = { '.manyhands/batches/two.yaml': 'parallel: 1\nitems: [Do one, Do two]\n' };
    await using scratch = await makeScratch({ files: { ...files, ...batches } });
    writeFileSync(join(scratch.root, 'go'), '');
    const dir = scratch.repo;
    const caller = await openCaller(scratch);
    const { start, runs } = await caller.call('start-batch', { dir, name: 'two' });
    expect(runs).toMatchObject([{ item: 1 }]);
    await caller[Symbol.asyncDispose]();
    await using reader = await openCaller(scratch);
    const events = [];
    for await (const event of reader.stream('watch-batch', { dir, start })) events.push(event);
    expect(events).toMatchObject([{ item: 1, run: runs[0]?.run }, { item: 2 }, { complete: true }]);
  });

  it('continues with the next engine when the project is resumed, and starts no item twice', async () => {
    const files = { 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG };
    const batches = { '.manyhands/batches/two.yaml': 'parallel: 1\nitems: [Do one, Do two]\n' };
    await using scratch = await makeScratch({ files: { ...files, ...batches } });
    {
      await using first = await openCaller(scratch);
      const { runs } = await first.call('start-batch', { dir: scratch.repo, name: 'two' });
      expect(runs).toMatchObject([{ item: 1 }]);
      await first.stop();
    }
    await using next = await openCaller(scratch);
    await next.call('resume-runs', { dir: scratch.repo });
    writeFileSync(join(scratch.root, 'go'), '');
    await using follower = new Follower(next);
    const done = new Set<string>();
    await follower.run(({ run, endedAt }) => endedAt !== null && done.add(run).size === 2);
    const listed = await next.call('list-runs', { collection: 'two' });
    expect(listed.map(({ title, status }) => [title, status])).toEqual([
      ['Do two', 'done'],
      ['Do one', 'done'],
    ]);
  });

  it('starts nothing more when everything is stopped', async () => {
    const files = { 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG };
    const batches = { '.manyhands/batches/two.yaml': 'parallel: 1\nitems: [Do one, Do two]\n' };
    await using scratch = await makeScratch({ files: { ...files, ...batches } });
    const dir = scratch.repo;
    await using caller = await openCaller(scratch);
    const { start, runs } = await caller.call('start-batch', { dir, name: 'two' });
    expect(await caller.call('cancel-all', { reason: 'enough' })).toEqual({
      runs: [runs[0]?.run],
      batches: ['two'],
      refused: [],
    });
    const events = [];
    for await (const event of caller.stream('watch-batch', { dir, start })) events.push(event);
    expect(events.at(-1)).toMatchObject({ complete: false, ended: 'enough' });
    await using follower = new Follower(caller);
    await follower.run(({ endedAt }) => endedAt !== null);
    expect((await caller.call('list-runs', {})).map(({ title, status }) => [title, status])).toEqual([
      ['Do one', 'cancelled'],
    ]);
  });
});
