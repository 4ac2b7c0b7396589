import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostOrder, HostRegistration } from '../../src/store/fleet.ts';
import { HostLink } from '../../src/store/postgres/hosts/host-link.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { realWorld, type World } from '../../src/world.ts';
import { AT, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

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
    await link.register(undefined);
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
    await expect.poll(() => link.register(undefined), { timeout: 10_000 }).toBeDefined();
    await leader.changed(() => leader.fleet.hosts.some(({ name }) => name === 'b3'));
  });

  it('sends an order that its host receives by a notification, also one that was sent while the host was cut off', async () => {
    const url = await postgres.createDatabase();
    await using leader = await openLeader(url, join(folder, 'three.db'), realWorld);
    const one = registration('b4');
    await using link = new HostLink(url, one, realWorld);
    await link.register(undefined);
    await leader.changed(() => leader.fleet.hosts.length === 1);
    const never = new AbortController().signal;
    await link.receive(ONE, never); // what there was before it listened
    const received = link.receive(ONE, never);
    await leader.order({ id: 'r-1-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    expect((await received).orders.map(({ id }) => id)).toEqual(['r-1-1']);
    await query(url, TERMINATE);
    await leader.order({ id: 'r-2-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    const later: string[] = [];
    const receive = async () => later.push(...(await link.receive(ONE, never)).orders.map(({ id }) => id));
    while (later.length === 0) await receive().catch(() => {});
    expect(later).toEqual(['r-2-1']);
    // Accepted, but the answer was lost with the connection.
    await leader.order({ id: 'r-3-1', kind: 'attempt', host: 'b4', instance: one.instance, body: '{}' });
    await query(url, "UPDATE manyhands.orders SET state = 'accepted' WHERE id = 'r-3-1'");
    await query(url, TERMINATE);
    while (later.length === 1) await receive().catch(() => {});
    expect(later).toEqual(['r-2-1', 'r-3-1']);
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
