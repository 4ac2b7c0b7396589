import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/access/caller.ts';
import { openCaller as open } from '../../../src/access/open-caller.ts';
import type { WatchEvent } from '../../../src/schema/watch/watch-event.ts';
import { makeShop } from '../../forges/shop.ts';
import { openCaller } from '../../support/caller.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';

/** It proposes the same thing in every round, in other words each time, and something that is not there. */
const AGENT = `#!/bin/sh
prompt="$(cat)"
echo "$MANYHANDS_ROLE" >>"$HOME/roles"
proposal() { echo '{"title":"'"$1"'","category":"bug","description":"","file":"'"$2"'","line":'"$3"',"evidence":"hello.txt:1","confidence":0.9}'; }
case "$MANYHANDS_ROLE" in
  watch)
    round="$(grep -c watch "$HOME/roles")"
    if [ "$round" = 1 ]; then title='The greeting names nobody'; else title='Nobody is addressed by what it says'; fi
    echo '{"proposals":['"$(proposal "$title" hello.txt 1)"','"$(proposal 'Invented place' absent.txt 9)"'],"summary":"ok"}' ;;
  confirm) echo '{"verdict":"confirmed","evidence":"hello.txt:1 is only hello","confidence":0.7}' ;;
  discuss) echo '{"text":"It is in hello.txt:1."}' ;;
  review) echo '{"findings":[],"summary":"Fine."}' ;;
  *) echo done >done.txt; echo '{}' ;;
esac
`;
const CONFIG =
  'agents:\n  one: { kind: command, command: ./agent.sh }\nchecks: ["true"]\nlimits: { freeDiskMb: 0, freeMemoryMb: 0 }\n';

function makeProject(): Promise<Scratch> {
  return makeScratch({ files: { 'hello.txt': 'hello\n', 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG } });
}

/** Reads the events of the series until one matches. */
async function until(caller: Caller, dir: string, matches: (event: WatchEvent) => boolean): Promise<WatchEvent> {
  const stop = new AbortController();
  for await (const { event } of caller.stream('follow-watch', { dir }, { signal: stop.signal })) {
    if (!matches(event)) continue;
    stop.abort();
    return event;
  }
  throw new Error('The stream ended before what was waited for');
}

const endOf = (round: number) => (event: WatchEvent) =>
  event.type === 'watch.round-ended' && event.data.round === round;

describe('a watched project', () => {
  it('shows a confirmed proposal once, answers a message, and makes a run of what is accepted', {
    timeout: 60_000,
  }, async () => {
    await using scratch = await makeProject();
    const dir = scratch.repo;
    await using caller = await openCaller(scratch);
    await caller.call('start-watch', { options: { dir }, pullRequests: false });
    await until(caller, dir, endOf(1));
    const first = await caller.call('show-watch', { dir });
    expect(first.proposals).toMatchObject([
      { id: 'p1', status: 'new', title: 'The greeting names nobody', file: 'hello.txt', line: 1, confidence: 0.7 },
    ]);
    expect(first.intervalMinutes).toBe(5);

    await caller.call('reply-watch', { dir, text: 'Where is it?' });
    await until(caller, dir, endOf(2));
    const { discussions } = await caller.call('show-watch', { dir });
    expect(discussions[0]?.messages.map(({ by, text }) => [by, text])).toEqual([
      ['person', 'Where is it?'],
      ['agent', 'It is in hello.txt:1.'],
    ]);

    const { run } = await caller.call('accept-proposal', { proposal: 'p1', options: { dir } });
    await expect(caller.call('reject-proposal', { dir, proposal: 'p1', reason: 'no' })).rejects.toThrow(
      'already accepted',
    );
    expect((await caller.call('show-watch', { dir })).proposals).toMatchObject([{ id: 'p1', status: 'accepted', run }]);
    await until(caller, dir, (event) => event.type === 'watch.proposal-decided' && event.data.status === 'done');
    const stopped = await caller.call('stop-watch', { dir });
    expect(stopped).toMatchObject({ active: false, round: 2, today: { text: expect.stringContaining('2 rounds') } });
  });

  it('is woken by a commit, and merges the same proposal in new words', { timeout: 60_000 }, async () => {
    await using scratch = await makeProject();
    const dir = scratch.repo;
    await using caller = await openCaller(scratch);
    await caller.call('start-watch', { options: { dir }, minMs: 1, maxMs: 86_400_000, pullRequests: false });
    await until(caller, dir, endOf(1));
    await caller.call('start-watch', { options: { dir }, minMs: 2_000, maxMs: 86_400_000, pullRequests: false });
    scratch.git('commit', '--quiet', '--allow-empty', '--message', 'More');
    const woken = await until(caller, dir, (event) => event.type === 'watch.round-started' && event.data.round === 2);
    expect(woken).toMatchObject({ data: { why: 'commit' } });
    await until(caller, dir, endOf(2));
    const { proposals } = await caller.call('show-watch', { dir });
    expect(proposals).toMatchObject([{ id: 'p1', title: 'The greeting names nobody' }]);
    await caller.call('stop-watch', { dir });
  });

  it('continues with the next engine without a gap or a second round', { timeout: 60_000 }, async () => {
    await using scratch = await makeProject();
    const dir = scratch.repo;
    {
      await using first = await openCaller(scratch);
      await first.call('start-watch', { options: { dir }, pullRequests: false });
      await until(first, dir, ({ type }) => type === 'watch.round-started');
      await first.leave();
    }
    await using next = await openCaller(scratch);
    await next.call('resume-runs', {});
    await until(next, dir, endOf(1));
    const rounds = (await next.call('list-runs', { text: 'Watch round' })).map(({ title }) => title);
    expect(rounds).toEqual(['Watch round 1 (start)']);
    await next.call('stop-watch', { dir });
  });

  it('tries again when no round can begin, and says why until one does', { timeout: 60_000 }, async () => {
    await using scratch = await makeProject();
    const dir = scratch.repo;
    rmSync(join(dir, 'agent.sh'));
    await using caller = await openCaller(scratch);
    await caller.call('start-watch', { options: { dir }, minMs: 200, maxMs: 400, pullRequests: false });
    await until(caller, dir, ({ type }) => type === 'watch.round-failed');
    const waiting = await caller.call('show-watch', { dir });
    expect(waiting).toMatchObject({ active: true, round: 0, problem: expect.stringMatching(/agent/) });
    writeFileSync(join(dir, 'agent.sh'), AGENT, { mode: 0o755 });
    await until(caller, dir, endOf(1));
    expect(await caller.call('show-watch', { dir })).toMatchObject({ problem: null });
    await caller.call('stop-watch', { dir });
  });
});

describe('the draft review of a watcher', () => {
  it('is made once for each commit of a pull request, and posted only by consent', { timeout: 120_000 }, async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', { 'bug.txt': 'a bug\n' });
    const dir = shop.scratch.repo;
    const env = { HOME: shop.scratch.root, MANYHANDS_HOME: shop.scratch.home, MANYHANDS_BWRAP: '', LC_ALL: 'C' };
    const path = `${dirname(process.execPath)}:${shop.forge.env.PATH ?? ''}`;
    await using caller = await open({ env: { ...env, ...shop.forge.env, PATH: path } });
    await caller.call('start-watch', { options: { dir }, minMs: 86_400_000, maxMs: 86_400_000 });
    await until(caller, dir, endOf(1));
    const { reviews } = await caller.call('show-watch', { dir });
    expect(reviews).toMatchObject([{ number: 1, status: 'draft', text: expect.stringContaining('There is a bug') }]);
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [], comments: [] }]);
    await caller.call('settle-draft-review', { dir, number: 1, post: true });
    expect(shop.forge.state().pulls[0]?.comments).toEqual([expect.stringContaining('There is a bug')]);
    await expect(caller.call('settle-draft-review', { dir, number: 1, post: true })).rejects.toThrow('already posted');
    expect(shop.forge.state().pulls[0]?.comments).toHaveLength(1);
    await caller.call('stop-watch', { dir });
  });
});
