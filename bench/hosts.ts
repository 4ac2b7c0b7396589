import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PgBoss } from 'pg-boss';
import { HOSTS_RELEASE, type HostRegistration } from '../src/store/fleet.ts';
import { Connection } from '../src/store/postgres/connection.ts';
import { HostLink } from '../src/store/postgres/hosts/host-link.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import { realWorld } from '../src/world.ts';
import { makeFleetProject } from '../test/support/fleet.ts';
import { startPostgres } from '../test/support/postgres.ts';
import type { Benchmark } from './benchmark.ts';
import { alternate, listed, median, quantile } from './timing.ts';

const ORDERS = 500;
const ORDER_ROUNDS = 7;
const WARM_UP = 50;
const HOSTS = 4;
const SLOTS = 4;
const ITEMS = 60;
const TASK_ROUNDS = 3;

/** Passes that many orders, one after another, and resolves with the time of each. */
type Orders = AsyncDisposable & { pass(count: number): Promise<number[]> };

/** How long after a decision is recorded a host has accepted its order. */
export const hosts: Benchmark = {
  name: 'hosts',
  summary: `the 99th percentile of ${ORDERS} orders, from the decision to the acceptance by a host, against a bare pg-boss send and fetch; the middle one of ${ORDER_ROUNDS} rounds`,
  target: { is: 'at most', ratio: 3 },
  async measure(isQuick) {
    const count = isQuick ? ORDERS / 5 : ORDERS;
    await using postgres = await startPostgres();
    await using ours = await openOrders(await postgres.createDatabase());
    await using bare = await openBareOrders(await postgres.createDatabase());
    for (const orders of [ours, bare]) await orders.pass(WARM_UP);
    const medians: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    const rounds = await alternate(
      isQuick ? 1 : ORDER_ROUNDS,
      () => p99Of(ours, count, medians.ours),
      () => p99Of(bare, count, medians.bare),
    );
    const note = `${count} orders, one after another; medians ${listed([median(medians.ours), median(medians.bare)], 2)} ms; p99 of the rounds ${listed(rounds.ours, 1)} against ${listed(rounds.ceiling, 1)}`;
    const [value, ceiling] = [median(rounds.ours), median(rounds.ceiling)];
    return { value, unit: 'ms', ceiling, ratio: rounds.ratio, note };
  },
};

/** What hosts cost: the same no-op tasks on hosts of this machine, and by the engine itself. */
export const hostsTasks: Benchmark = {
  name: 'hosts-tasks',
  summary: `a no-op task on ${HOSTS} hosts, against the local engine; the middle one of ${TASK_ROUNDS} rounds`,
  target: { is: 'at most', ratio: 1.6 },
  async measure(isQuick) {
    const items = isQuick ? ITEMS / 3 : ITEMS;
    await using postgres = await startPostgres();
    const rounds = await alternate(
      isQuick ? 1 : TASK_ROUNDS,
      async () => taskTime(await postgres.createDatabase(), items, true),
      async () => taskTime(await postgres.createDatabase(), items, false),
    );
    const note = `${items} tasks, ${HOSTS * SLOTS} at once; hosts exchange commits through a bare repository on the same disk; rounds ${listed(rounds.ours)} against ${listed(rounds.ceiling)}`;
    return {
      value: median(rounds.ours),
      unit: 'ms a task',
      ceiling: median(rounds.ceiling),
      ratio: rounds.ratio,
      note,
    };
  },
};

async function p99Of(orders: Orders, count: number, medians: number[]): Promise<number> {
  const times = await orders.pass(count);
  medians.push(median(times));
  return quantile(times, 0.99);
}

/** A leader and a host that accepts its orders. */
async function openOrders(url: string): Promise<Orders> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-bench-hosts-'));
  const candidate = { server: 'one', holder: 'one' };
  const file = join(folder, 'read-model.db');
  const { store, fleet } = await openPostgresStore({ url, file, world: realWorld, candidate, lead: true });
  const registered = Promise.withResolvers<void>();
  fleet?.onChange(() => fleet.hosts.length > 0 && registered.resolve());
  const registration = registrationOf('b2');
  const link = new HostLink(url, registration, realWorld);
  await link.register([]);
  await registered.promise;
  const never = new AbortController().signal;
  const one = { attempt: 1, check: 0 };
  await link.receive(() => one, never);
  let number = 0;
  async function acceptOne(): Promise<number> {
    const { instance } = registration;
    const order = { id: `r-${number}-1`, kind: 'attempt' as const, host: 'b2', instance, body: '{}' };
    const event = { type: 'attempt.started', data: {} };
    const began = performance.now();
    const appended = store.append([{ stream: 'run/r', expected: number, events: [event], order }], 1);
    for (let accepted = 0; accepted === 0; ) accepted = (await link.receive(() => one, never)).orders.length;
    const time = performance.now() - began;
    await appended;
    number += 1;
    return time;
  }
  return {
    pass: (count) => repeated(count, acceptOne),
    [Symbol.asyncDispose]: async () => {
      await link[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openBareOrders(url: string): Promise<Orders> {
  const connection = new Connection(url);
  const executeSql = (text: string, values?: unknown[]) => connection.use((client) => client.query(text, values));
  const boss = new PgBoss({ db: { executeSql }, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bare');
  return {
    pass: (count) =>
      repeated(count, async () => {
        const began = performance.now();
        await boss.send('bare', {});
        await boss.fetch('bare');
        return performance.now() - began;
      }),
    [Symbol.asyncDispose]: async () => {
      await boss.stop({ graceful: false, close: false });
      await connection[Symbol.asyncDispose]();
    },
  };
}

async function repeated(count: number, once: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) times.push(await once());
  return times;
}

async function taskTime(url: string, items: number, isOnHosts: boolean): Promise<number> {
  await using fleet = await makeFleetProject(url, items);
  const { project, env, exchange } = fleet;
  const settings = `hosts:\n  git: ${exchange}\nlimits:\n  agents: ${HOSTS * SLOTS}\n`;
  await writeFile(join(project.root, '.config', 'manyhands', 'config.yaml'), settings);
  if (isOnHosts)
    for (let number = 1; number <= HOSTS; number += 1) await fleet.startHost(`b${number}`, { slots: SLOTS });
  const began = performance.now();
  const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
  const ended = await project.mh(args, isOnHosts ? { env } : {});
  if (ended.code !== 0 || fleet.ran().length !== items) throw new Error(`The run failed: ${ended.stderr}`);
  return (performance.now() - began) / items;
}

function registrationOf(name: string): HostRegistration {
  const none = { agents: [], labels: [], memoryBytes: 1, diskBytes: 1, version: '0', machine: 'bench' };
  return { name, instance: realWorld.token(), slots: 1, checks: 0, release: HOSTS_RELEASE, ...none };
}
