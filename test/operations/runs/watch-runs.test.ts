import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/access/caller.ts';
import { Follower, openCaller, startJob } from '../../support/caller.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';

/** Says what it does, waits for a file that its prompt names, then writes a file of its own. */
const AGENT = `#!/bin/sh
prompt=$(cat)
echo "looking around"
case "$prompt" in *wait*) while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "all of it is done"
echo "$MANYHANDS_RUN" > "$MANYHANDS_RUN.txt"
`;
const CONFIG = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

let scratch: Scratch;
let engine: Caller;

beforeEach(async () => {
  scratch = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG } });
  engine = await openCaller(scratch);
});

afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});

describe('following all runs', () => {
  it('sends the current state of each run, the activity of its agents, its end, and whether it is unread', async () => {
    await using early = await openCaller(scratch);
    await using reader = new Follower(early);
    await reader.ready();
    await expect(reader.until(() => false)).rejects.toThrow('ended');

    await engine.call('resume-runs', {});
    await using follower = new Follower(engine);
    const begin = await follower.ready();
    const run = await startJob(engine, scratch, 'please wait');
    const working = await follower.run(({ live }) => live[0]?.activity === 'looking around');
    expect(working).toMatchObject({ run, status: 'running', liveCount: 1, unread: false, counts: { running: 1 } });
    expect(working.live[0]).toMatchObject({ task: 'job/1', agent: 'hand', attempt: 1, role: 'implement' });

    await using other = await openCaller(scratch);
    await using second = new Follower(other);
    expect(await second.run((one) => one.run === run)).toMatchObject({ liveCount: 1 });
    expect(other.engine()).toBe('other');
    await second.ready();

    writeFileSync(join(scratch.root, 'go'), '');
    const done = await follower.run(({ endedAt }) => endedAt !== null);
    expect(done).toMatchObject({ run, status: 'done', unread: true, live: [], counts: { done: 1 } });
    expect(await second.run(({ endedAt }) => endedAt !== null)).toMatchObject({ run, unread: true });

    expect(await engine.call('mark-read', { run })).toEqual({ run, unread: false });
    expect(await follower.run((one) => one.run === run)).toMatchObject({ unread: false });
    await engine.call('flag-run', { run, note: 'look again' });
    expect(await follower.run(({ flag }) => flag !== null)).toMatchObject({ unread: false });
    expect(await engine.call('mark-read', { run, read: false })).toEqual({ run, unread: true });

    const positions = follower.items.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    await using late = new Follower(engine, { after: begin.position });
    await late.ready();
    expect(late.items.flatMap((item) => ('run' in item ? [item.run.run] : []))).toEqual([run]);
    await using current = new Follower(engine, { after: positions.at(-1) ?? 0 });
    await current.ready();
    expect(current.items.length).toBeLessThanOrEqual(2);
  });

  it('sends a slow reader the latest state of each run once, not every change', async () => {
    await engine.call('resume-runs', {});
    await using slow = new Follower(engine);
    await slow.ready();
    const runs = [await startJob(engine, scratch, 'one'), await startJob(engine, scratch, 'two')];
    for (const run of runs) {
      for await (const { type } of engine.stream('watch-run', { run })) if (type === 'run.ended') break;
    }
    const seen = [...runs];
    await slow.run(({ run, status }) => {
      if (status === 'done' && seen.includes(run)) seen.splice(seen.indexOf(run), 1);
      return seen.length === 0;
    });
    expect(slow.items.filter((item) => 'run' in item && runs.includes(item.run.run)).length).toBeLessThanOrEqual(4);
  });

  it('reports a run as removed when it was archived, also after a reconnect', async () => {
    await engine.call('resume-runs', {});
    await using follower = new Follower(engine);
    await follower.ready();
    const run = await startJob(engine, scratch, 'three');
    await follower.run((one) => one.run === run && one.endedAt !== null);
    const position = follower.items.at(-1)?.position ?? 0;
    await engine.call('clean', { olderThanDays: 0, apply: true });
    const archived = await engine.call('archive', { olderThanDays: 0, apply: true, remove: true });
    expect(archived.items.find((item) => item.run === run)).toMatchObject({ removed: true });
    await follower.until((item) => 'removed' in item && item.removed === run);
    await using late = new Follower(engine, { after: position });
    await late.ready();
    expect(late.items).toContainEqual({ position, removed: run });
    const listed = await engine.call('list-runs', { archived: true, text: 'three' });
    expect(listed.map((one) => one.run)).toEqual([run]);
    await engine.call('restore-archive', { archive: run });
    expect(await follower.run((one) => one.run === run)).toMatchObject({ status: 'done' });
  });
});
