import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredEvent, TranscriptEntry } from '../../src/store/store.ts';
import { AT, batch, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { openCut, openShared } from '../support/shared-store.ts';

const FILES = { 'readme.md': '# A project\n' };
/** Makes something when the file is there. */
const WAITING = '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done\necho made > made.txt\n';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('With several servers', () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('a store that stands by shows and announces what the leader writes, also after PostgreSQL restarted', async () => {
    const url = await postgres.createDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'manyhands-follow-'));
    const { store: leader } = await openShared(url, join(folder, 'one.db'), 'one');
    const { store: follower } = await openShared(url, join(folder, 'two.db'), 'two', false);
    const events: StoredEvent[] = [];
    const rows: TranscriptEntry[] = [];
    follower.onAppend((appended) => events.push(...appended));
    follower.onTranscript((ingested) => rows.push(...ingested));
    for (const n of [0, 1, 2]) {
      if (n === 2) await postgres.restart('SIGQUIT');
      await leader.append([{ stream: 'run/r', expected: n, events: [event(`e${n}`)] }], AT);
      await leader.ingest(batch('r-1-1', [n], { cursor: n + 1 }));
      await expect.poll(() => [events.length, rows.length]).toEqual([n + 1, n + 1]);
    }
    expect(events).toEqual(leader.readAll(0, 10));
    expect(rows).toEqual(leader.transcript({ attempt: 'r-1-1', limit: 10 }));
    expect(follower.read('run/r')).toEqual(leader.read('run/r'));
    await leader[Symbol.asyncDispose]();
    await follower.append([{ stream: 'run/r', expected: 3, events: [event('mine')] }], AT);
    expect(follower.streams('')).toMatchObject([{ stream: 'run/r', version: 4 }]);
    await follower[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('one leads, the other answers reads, refuses the rest, and takes over when the first is killed', async () => {
    const url = await postgres.createDatabase();
    await using one = await makeScratch({ files: FILES, check: 'true' });
    await using two = await makeScratch({ files: FILES, check: 'true' });
    const env = { MANYHANDS_DATABASE_URL: url };
    const first = one.start(['serve', '--port', '0'], { env });
    await address(one);
    const second = two.start(['serve', '--port', '0'], { env });
    const at = await address(two);
    expect((await one.mh(['job', 'write a file', '--rehearse', '--json'], { env })).code).toBe(0);
    const token = (await two.mh(['token'], { env })).stdout.trim();
    const runs = () => request(`${at}/api/runs`, token);
    await expect.poll(runs).toMatchObject([{ status: 'done' }]);
    const doctor = await two.mh(['doctor'], { env });
    expect(doctor.stdout).toMatch(new RegExp(`postgresql .*led by \\S+:${one.home} since`));
    expect((await two.mh(['ls', '--all'], { env })).stderr).toMatch(new RegExp(`^Led by \\S+:${one.home}$`, 'm'));
    expect(await request(`${at}/api/leader`, token)).toMatchObject({ leader: { alive: true, epoch: 1 } });
    const refused = await two.mh(['job', 'write a file', '--rehearse'], { env });
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/The server \S+ leads this installation/),
    ]);
    first.kill('SIGKILL');
    const killedAt = Date.now();
    await expect.poll(() => leader(url), { timeout: 40_000, interval: 200 }).toContain(two.home);
    expect(Date.now() - killedAt).toBeLessThan(30_000);
    await expect.poll(async () => (await two.mh(['job', 'another', '--rehearse'], { env })).code).toBe(0);
    await expect.poll(runs).toHaveLength(2);
    expect((await two.mh(['stop'], { env })).code).toBe(0);
    expect((await second.done).stderr).toContain('Standing by');
  });

  it('what the other one refuses names the leader, and works there as it is printed', async () => {
    const url = await postgres.createDatabase();
    await using one = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING }, check: 'true' });
    await using two = await makeScratch({ files: FILES, check: 'true' });
    const env = { MANYHANDS_DATABASE_URL: url };
    one.start(['serve', '--port', '0'], { env });
    await address(one);
    const started = await one.mh(['job', 'Wait', '--agent', 'command:./agent.sh', '--detach', '--json'], { env });
    const { run } = started.json as { run: string };
    const second = two.start(['serve', '--port', '0'], { env });
    await second.received('Standing by');
    const refused = await two.mh(['cancel', run, '--force'], { env });
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining(`:${one.home} leads this installation`),
    ]);
    const [, home = '', line = ''] = / On \S+: MANYHANDS_HOME=(\S+) manyhands (.*?)$/m.exec(refused.stderr) ?? [];
    expect([home, line]).toEqual([one.home, `cancel ${run} --force`]);
    // On that machine, in any folder and without the URL of the database.
    const there = await two.mh(line.split(' '), { env: { MANYHANDS_HOME: home }, cwd: '/' });
    expect([there.code, there.stderr]).toEqual([0, expect.stringContaining('cancel')]);
    await expect
      .poll(async () => (await two.mh(['show', run, '--json'], { env })).json)
      .toMatchObject({
        status: 'cancelled',
      });
  });

  it('the new leader does the task of a killed one again, whose agent ends when its server stands by', async () => {
    const url = await postgres.createDatabase();
    await using one = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING }, check: 'true' });
    await using two = await makeScratch({ files: FILES, check: 'true' });
    const env = { MANYHANDS_DATABASE_URL: url };
    const first = one.start(['serve', '--port', '0'], { env });
    await address(one);
    await one.mh(['job', 'Wait', '--agent', 'command:./agent.sh', '--detach'], { env });
    await expect.poll(() => agentsOf(one)).toHaveLength(1);
    first.kill('SIGKILL');
    await first.done;
    await query(url, "UPDATE manyhands.installation SET expires_at = '-infinity'");
    const second = two.start(['serve', '--port', '0'], { env });
    await second.received('Resumed 1 unfinished run');
    await rm(join(one.home, 'server'), { recursive: true });
    one.start(['serve', '--port', '0'], { env });
    await address(one);
    expect(agentsOf(one)).toEqual([]);
    writeFileSync(join(two.root, 'go'), '');
    const list = async () => (await two.mh(['ls', '--all', '--json'], { env })).json;
    await expect.poll(list).toMatchObject([{ status: 'done' }]);
    expect(one.git('branch', '--list', 'mh/*')).not.toBe('');
    await two.mh(['stop'], { env });
    await second.done;
  });

  it('a leader that is cut off ends its own agents before another server can lead', async () => {
    const url = await postgres.createDatabase();
    const cut = await openCut(url);
    await using one = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING }, check: 'true' });
    await using two = await makeScratch({ files: FILES, check: 'true' });
    const first = one.start(['serve', '--port', '0'], { env: { MANYHANDS_DATABASE_URL: cut.url } });
    await address(one);
    const second = two.start(['serve', '--port', '0'], { env: { MANYHANDS_DATABASE_URL: url } });
    await second.received('Standing by');
    const args = ['job', 'Wait', '--agent', 'command:./agent.sh', '--detach'];
    await one.mh(args, { env: { MANYHANDS_DATABASE_URL: cut.url } });
    await expect.poll(() => agentsOf(one)).toHaveLength(1);
    await pause(6_000); // a renewal shows that another server stands by
    cut.close();
    cut.stall();
    await expect.poll(() => leader(url), { timeout: 40_000, interval: 100 }).toContain(two.home);
    expect(agentsOf(one)).toEqual([]);
    first.kill('SIGKILL');
    await two.mh(['stop'], { env: { MANYHANDS_DATABASE_URL: url } });
    await second.done;
  });

  it('a leader that was paused stops when it continues, and has written nothing', async () => {
    const url = await postgres.createDatabase();
    await using one = await makeScratch({ files: FILES, check: 'true' });
    await using two = await makeScratch({ files: FILES, check: 'true' });
    const env = { MANYHANDS_DATABASE_URL: url };
    const first = one.start(['serve', '--port', '0'], { env });
    await address(one);
    first.kill('SIGSTOP');
    await query(url, "UPDATE manyhands.installation SET expires_at = '-infinity'");
    const second = two.start(['serve', '--port', '0'], { env });
    await address(two);
    expect(await leader(url)).toContain(two.home);
    first.kill('SIGCONT');
    const ended = await first.done;
    expect(ended.stderr).toContain(two.home);
    expect(ended.code).not.toBe(0);
    expect(await leader(url)).toContain(two.home);
    await two.mh(['stop'], { env });
    expect((await second.done).code).toBe(0);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

async function leader(url: string): Promise<string> {
  const [row] = await query(url, 'SELECT holder FROM manyhands.installation');
  return String(row?.holder);
}

function agentsOf(scratch: Scratch): string[] {
  return scratch.alive().flatMap(({ command }) => (command.includes(`${scratch.home}/attempts/`) ? [command] : []));
}

async function address({ home }: Scratch): Promise<string> {
  const file = join(home, 'server', 'address.json');
  while (!existsSync(file)) await pause(50);
  return JSON.parse(readFileSync(file, 'utf8')).url;
}

async function request(url: string, token: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
}
