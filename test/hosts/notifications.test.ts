import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fleet, FollowedReport, HostOrder, HostRegistration } from '../../src/store/fleet.ts';
import { Connection } from '../../src/store/postgres/connection.ts';
import { HostLink } from '../../src/store/postgres/hosts/host-link.ts';
import { drainHost, inspectHosts } from '../../src/store/postgres/hosts/inspect-hosts.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { realWorld, type World } from '../../src/world.ts';
import { AT, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { openCut } from '../support/shared-store.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('A leader', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'manyhands-notifications-'));
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('reads nothing again without hosts, learns of each by a notification, and looks again when its lease may have ended', async () => {
    const url = await postgres.createDatabase();
    const alarms = recordedAlarms();
    await using leader = await openLeader(url, join(folder, 'one.db'), alarms.world);
    await leader.changed(() => leader.fleet.hosts.length === 0);
    expect(alarms.waits()).toEqual([expect.closeTo(5, 0)]); // its own lease
    await using link = new HostLink(url, registration('b2'), realWorld);
    await link.register([]);
    await leader.changed(() => leader.fleet.hosts.some(({ instance }) => instance !== null));
    await expect.poll(alarms.waits).toEqual([expect.closeTo(5, 0), expect.closeTo(30, 0)]);
    await link.end();
    await leader.changed(() => leader.fleet.hosts.every(({ instance }) => instance === null));
    await expect.poll(alarms.waits).toEqual([expect.closeTo(5, 0)]);
  });

  it('reads again what happened while its connection was lost', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'two.db'), realWorld);
    await using link = new HostLink(url, registration('b3'), realWorld);
    await postgres.restart('SIGQUIT');
    await expect.poll(() => link.register([]), { timeout: 10_000 }).toBeDefined();
    await leader.changed(() => leader.fleet.hosts.some(({ name }) => name === 'b3'));
  });

  it('sends an order that its host accepts as soon as it has room for it', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'room.db'), realWorld);
    const one = registration('b5');
    await using link = new HostLink(url, one, realWorld);
    await link.register([]);
    await leader.changed(() => leader.fleet.hosts.length === 1);
    const never = new AbortController().signal;
    let most = { attempt: 0, check: 0 };
    await leader.order({ id: 'r-1-1', kind: 'attempt', host: 'b5', instance: one.instance, body: '{}' });
    await link.receive(() => most, never);
    const received = link.receive(() => most, never);
    most = ONE;
    link.wake();
    expect((await received).orders.map(({ id }) => id)).toEqual(['r-1-1']);
  });

  it('sends an order that its host receives by a notification, also one that was sent while the host was cut off', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'three.db'), realWorld);
    const one = registration('b4');
    await using link = new HostLink(url, one, realWorld);
    await link.register([]);
    await leader.changed(() => leader.fleet.hosts.length === 1);
    const never = new AbortController().signal;
    await link.receive(() => ONE, never); // what there was before it listened
    const received = link.receive(() => ONE, never);
    await leader.order({ id: 'r-1-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    expect((await received).orders.map(({ id }) => id)).toEqual(['r-1-1']);
    await query(url, TERMINATE);
    await leader.order({ id: 'r-2-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    const later: string[] = [];
    const receive = async () => later.push(...(await link.receive(() => ONE, never)).orders.map(({ id }) => id));
    while (later.length === 0) await receive().catch(() => {});
    expect(later).toEqual(['r-2-1']);
    // Accepted, but the answer was lost with the connection.
    await leader.order({ id: 'r-3-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    await query(url, "UPDATE manyhands.orders SET state = 'accepted' WHERE id = 'r-3-1'");
    await query(url, TERMINATE);
    while (later.length === 1) await receive().catch(() => {});
    expect(later).toEqual(['r-2-1', 'r-3-1']);
  });

  it('sends a command to a host again when the database did not answer', async () => {
    const url = await postgres.createDatabase();
    const cut = await openCut(url);
    await using leader = await openLeader(cut.url, join(folder, 'four.db'), realWorld);
    await using accepted = await acceptedOrder(url, leader, 'b5');
    const { link, never } = accepted;
    for (const where of ['before', 'after'] as const) {
      cut.cutAt(/INSERT INTO manyhands.commands/, where);
      await leader.fleet.send('r-1-1', { kind: 'stop', where });
      expect(cut.isWaiting()).toBe(false);
      const commands = [];
      while (commands.length === 0) commands.push(...(await link.receive(() => ONE, never)).commands);
      expect(commands[0]).toMatchObject({ id: 'r-1-1', body: { kind: 'stop', where } });
    }
    cut.cutAt(/DELETE FROM manyhands.orders/, 'before');
    await leader.fleet.remove('r-1-1');
    expect(await query(url, 'SELECT id FROM manyhands.orders')).toEqual([]);
    cut.close();
  });

  it('takes back an order that is not accepted, when it is withdrawn and after 30 seconds', async () => {
    const url = await postgres.createDatabase();
    const soon: World = { ...realWorld, alarm: (at, ring) => realWorld.alarm(is30s(at) ? Date.now() + 500 : at, ring) };
    await using leader = await openLeader(url, join(folder, 'six.db'), soon);
    await using accepted = await acceptedOrder(url, leader, 'b7');
    const { link, never, instance } = accepted;
    const lost = [{ kind: 'lost', reason: 'The order was withdrawn before a host accepted it' }];
    const send = async (id: string) => {
      await leader.order({ id, kind: 'attempt', host: 'b7', instance, body: '{}' });
      return followAll(leader.fleet, id, never);
    };
    const withdrawn = send('r-2-1');
    await expect.poll(() => query(url, "SELECT id FROM manyhands.orders WHERE state = 'sent'")).toHaveLength(1);
    await leader.fleet.withdraw('r-2-1');
    expect(await withdrawn).toEqual(lost);
    expect(await send('r-3-1')).toEqual(lost);
    await link.receive(() => ONE, never);
    expect(await query(url, 'SELECT id, state FROM manyhands.orders')).toEqual([{ id: 'r-1-1', state: 'accepted' }]);
  });

  it('takes back what a draining host has not accepted, also what is sent later, and leaves it the rest', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'seven.db'), realWorld);
    await using accepted = await acceptedOrder(url, leader, 'b8');
    const { never, instance } = accepted;
    const lost = [{ kind: 'lost', reason: 'The order was withdrawn before a host accepted it' }];
    const send = async (id: string) => {
      await leader.order({ id, kind: 'check', host: 'b8', instance, body: '{}' });
      return followAll(leader.fleet, id, never);
    };
    await using kept = following(leader.fleet, 'r-1-1');
    const before = send('r-2-1');
    await expect.poll(() => query(url, 'SELECT id FROM manyhands.orders')).toHaveLength(2);
    await query(url, 'UPDATE manyhands.hosts SET draining = true');
    expect(await before).toEqual(lost);
    expect(await send('r-3-1')).toEqual(lost);
    await leader.fleet.withdraw('r-1-1');
    expect(await query(url, 'SELECT id FROM manyhands.orders')).toEqual([{ id: 'r-1-1' }]);
    expect(kept.reports).toEqual([]);
  });

  it('leaves reports in the database while many of their order wait to be recorded', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'eight.db'), realWorld);
    await using accepted = await acceptedOrder(url, leader, 'b9');
    const { link, never } = accepted;
    const report = (sequence: number) => ({ id: 'r-1-1', sequence, body: { text: 'x'.repeat(40_000) } });
    const followed = leader.fleet.follow('r-1-1', never);
    for (let sequence = 1; sequence <= 200; sequence += 1) await link.report([report(sequence)]);
    const sequences = [sequenceOf(await followed.next())];
    await pause(500);
    await query(url, 'DELETE FROM manyhands.reports WHERE sequence > 150');
    for (let count = 1; count < 150; count += 1) sequences.push(sequenceOf(await followed.next()));
    await link.report([report(201)]);
    sequences.push(sequenceOf(await followed.next()));
    expect(sequences).toEqual([...Array.from({ length: 150 }, (_, index) => index + 1), 201]);
  });

  it('removes reports soon after they are recorded', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'recorded.db'), realWorld);
    await using one = await acceptedOrder(url, leader, 'b15');
    await using _kept = following(leader.fleet, 'r-1-1');
    for (const sequence of [1, 2, 3]) await one.link.report([{ id: 'r-1-1', sequence, body: 'x' }]);
    for (const sequence of [1, 2]) leader.fleet.acknowledge('r-1-1', sequence);
    const left = () => query(url, 'SELECT sequence FROM manyhands.reports');
    await expect.poll(left, { timeout: 5_000 }).toEqual([{ sequence: '3' }]);
  });

  it('removes reports whose order a killed leader removed without them', async () => {
    const url = await postgres.createDatabase();
    const first = await openLeader(url, join(folder, 'forgotten.db'), realWorld);
    await using one = await acceptedOrder(url, first, 'b16');
    await one.link.report([{ id: 'r-1-1', sequence: 1, body: 'x' }]);
    await first[Symbol.asyncDispose]();
    await query(url, 'DELETE FROM manyhands.orders');
    await using _second = await openLeader(url, join(folder, 'forgotten.db'), realWorld);
    await expect.poll(() => query(url, 'SELECT id FROM manyhands.reports')).toEqual([]);
  });

  it('shows the attempts of a host, and not its checks', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'eleven.db'), realWorld);
    await using accepted = await acceptedOrder(url, leader, 'b13');
    const { instance } = accepted;
    await leader.order({ id: 'r-check-1', kind: 'check', host: 'b13', instance, body: '{}' });
    expect(await inspectHosts(url)).toMatchObject([{ name: 'b13', attempts: ['r-1-1'] }]);
  });

  it('finds a host draining that was killed while it drained, and not one that ended', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'twelve.db'), realWorld);
    const [one, two, three] = [registration('b14'), registration('b14'), registration('b14')];
    await using first = new HostLink(url, one, realWorld);
    expect(await first.register([])).toMatchObject({ isDraining: false });
    await drainHost(url, 'b14', true);
    await using second = new HostLink(url, two, realWorld);
    expect(await second.register([one.instance])).toMatchObject({ isDraining: true });
    await leader.changed(() => leader.fleet.hosts.some(({ isDraining }) => isDraining));
    await second.end();
    await using third = new HostLink(url, three, realWorld);
    expect(await third.register([])).toMatchObject({ isDraining: false });
  });

  it('is not stopped by what a host writes into its own rows', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'nine.db'), realWorld);
    await using one = await acceptedOrder(url, leader, 'b10');
    await using kept = following(leader.fleet, 'r-1-1');
    await query(url, "UPDATE manyhands.hosts SET registration = 'x'");
    await query(
      url,
      "INSERT INTO manyhands.reports SELECT id, 1, host, instance, convert_to('{', 'UTF8') FROM manyhands.orders",
    );
    await one.link.report([{ id: 'r-1-1', sequence: 2, body: 'two' }]);
    await using link = new HostLink(url, registration('b11'), realWorld);
    await link.register([]);
    await leader.changed(() => leader.fleet.hosts.some(({ name }) => name === 'b11'));
    expect(leader.fleet.hosts.map(({ name }) => name)).toEqual(['b11']);
    // Its attempt is not lost, because it has its lease.
    await expect.poll(() => kept.reports).toMatchObject([{ body: undefined }, { body: 'two' }]);
  });

  it('renews leases within seconds after a connection on which nothing passes any more', async () => {
    const url = await postgres.createDatabase();
    const cut = await openCut(url);
    await using leader = await openLeader(cut.url, join(folder, 'ten.db'), realWorld);
    await using link = new HostLink(cut.url, registration('b12'), realWorld);
    await link.register([]);
    await leader.changed(() => leader.fleet.hosts.length === 1);
    await expect.poll(() => leaseMs(url)).toBeLessThan(10_500);
    await expect.poll(() => leaseMs(url)).toBeGreaterThan(14_000); // its connection is open
    cut.stall();
    const began = performance.now();
    await expect(link.renew()).rejects.toThrow('does not answer');
    expect(await link.renew()).toMatchObject({ isDraining: false });
    expect(performance.now() - began).toBeLessThan(6_000);
    await expect.poll(() => leaseMs(url), { timeout: 10_000 }).toBeLessThan(10_500);
    await expect.poll(() => leaseMs(url), { timeout: 6_000 }).toBeGreaterThan(14_000);
    cut.close();
  });

  it('keeps its new connection when statements of the lost one fail later', async () => {
    const url = await postgres.createDatabase();
    const cut = await openCut(url);
    await using connection = new Connection(cut.url);
    let lost = 0;
    connection.onLost(() => {
      lost += 1;
    });
    const read = (text: string) => connection.use((client) => client.query(text));
    await read('SELECT 1');
    cut.cutAt(/SELECT 2/, 'before');
    const [first, second] = [read('SELECT 2').catch(() => read('SELECT 4')), read('SELECT 3').catch(() => {})];
    await Promise.all([first, second]);
    await read('SELECT 5');
    expect(lost).toBe(1);
    const sessions = "SELECT pid FROM pg_stat_activity WHERE usename = 'manyhands' AND query LIKE 'SELECT _'";
    expect(await query(url, sessions)).toHaveLength(1);
    cut.close();
  });

  it('gives up a command when it closes while the database does not answer', async () => {
    const url = await postgres.createDatabase();
    const leader = await openLeader(url, join(folder, 'five.db'), realWorld);
    await leader.order({ id: 'r-1-1', kind: 'attempt', host: 'b6', instance: crypto.randomUUID(), body: '{}' });
    await postgres.stop();
    const sent = leader.fleet.send('r-1-1', { kind: 'stop' }).catch((error: Error) => error.message);
    await leader[Symbol.asyncDispose]();
    expect(await sent).toContain('does not answer');
    await postgres.start();
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

const TERMINATE =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'manyhands'";
const ONE = { attempt: 1, check: 0 };

function registration(name: string): HostRegistration {
  const none = { agents: [], labels: [], memoryBytes: 1, diskBytes: 1, version: '0.1.0', machine: 'm', release: 1 };
  return { name, instance: crypto.randomUUID(), slots: 2, checks: 2, ...none };
}

/** A world whose alarms ring as ever, and that knows which are set: in how many seconds each was to ring when it was set. */
function recordedAlarms() {
  const set = new Map<object, number>();
  const world: World = {
    ...realWorld,
    alarm: (at, ring) => {
      const key = {};
      set.set(key, Math.round((at - Date.now()) / 1_000));
      const cancel = realWorld.alarm(at, () => {
        set.delete(key);
        ring();
      });
      return () => {
        set.delete(key);
        cancel();
      };
    },
  };
  return { world, waits: () => [...set.values()].toSorted((a, b) => a - b) };
}

/** How much longer the leader has its lease. */
async function leaseMs(url: string): Promise<number> {
  const left = 'extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS left';
  return Number((await query(url, `SELECT ${left} FROM manyhands.installation`))[0]?.left);
}

function is30s(at: number): boolean {
  return Math.abs(at - Date.now() - 30_000) < 1_000;
}

async function followAll(fleet: Fleet, id: string, signal: AbortSignal) {
  const reports: FollowedReport[] = [];
  for await (const report of fleet.follow(id, signal)) reports.push(report);
  return reports;
}

/** Follows an order until it is disposed of. */
function following(fleet: Fleet, id: string) {
  const reports: FollowedReport[] = [];
  const ended = new AbortController();
  const done = (async () => {
    for await (const report of fleet.follow(id, ended.signal)) reports.push(report);
  })();
  return {
    reports,
    [Symbol.asyncDispose]: () => {
      ended.abort();
      return done;
    },
  };
}

function sequenceOf({ value }: IteratorResult<FollowedReport>): number | undefined {
  return value?.kind === 'report' ? value.sequence : undefined;
}

/** A host that has accepted an order of the leader. */
async function acceptedOrder(url: string, leader: Awaited<ReturnType<typeof openLeader>>, name: string) {
  const one = registration(name);
  const link = new HostLink(url, one, realWorld);
  await link.register([]);
  await leader.order({ id: 'r-1-1', kind: 'attempt', host: name, instance: one.instance, body: '{}' });
  const never = new AbortController().signal;
  const orders: HostOrder[] = [];
  while (orders.length === 0) orders.push(...(await link.receive(() => ONE, never)).orders);
  return { link, never, instance: one.instance, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() };
}

async function openLeader(url: string, file: string, world: World) {
  const candidate = { server: 'one', holder: 'one' };
  const { store, fleet } = await openPostgresStore({ url, file, world, candidate, lead: true });
  if (fleet === undefined) throw new Error('It does not lead');
  const changes = new EventTarget();
  fleet.onChange(() => changes.dispatchEvent(new Event('change')));
  let version = 0;
  return {
    fleet,
    changed: async (isReached: () => boolean) => {
      while (!isReached()) await new Promise((resolve) => changes.addEventListener('change', resolve, { once: true }));
    },
    order: async (order: HostOrder) => {
      await store.append([{ stream: 'run/r', expected: version, events: [event('one')], order }], AT);
      version += 1;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
