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
import { listed, median } from './timing.ts';

const ORDERS = 500;
const WARM_UP = 20;
const HOSTS = 4;
const SLOTS = 4;
const ITEMS = 100;

/** How long after a decision is recorded a host has accepted its order. */
export const hosts: Benchmark = {
  name: 'hosts',
  summary: `the 99th percentile of ${ORDERS} orders, from the decision to the acceptance by a host, against a bare pg-boss send and fetch`,
  target: { is: 'at most', ratio: 3 },
  async measure(isQuick) {
    const count = isQuick ? ORDERS / 5 : ORDERS;
    await using postgres = await startPostgres();
    const ours = await orderTimes(await postgres.createDatabase(), count);
    const bare = await bareTimes(await postgres.createDatabase(), count);
    const [value, ceiling] = [percentile(ours, 0.99), percentile(bare, 0.99)];
    const note = `${count} orders, one after another; medians ${listed([median(ours), median(bare)], 2)} ms`;
    return { value, unit: 'ms', ceiling, ratio: value / ceiling, note };
  },
};

/** What hosts cost: the same no-op tasks on hosts of this machine, and by the engine itself. */
export const hostsTasks: Benchmark = {
  name: 'hosts-tasks',
  summary: `a no-op task on ${HOSTS} hosts, against the local engine`,
  target: { is: 'at most', ratio: 1.6 },
  async measure(isQuick) {
    const items = isQuick ? ITEMS / 5 : ITEMS;
    await using postgres = await startPostgres();
    const onHosts = await taskTimes(await postgres.createDatabase(), items, true);
    const local = await taskTimes(await postgres.createDatabase(), items, false);
    const note = `${items} tasks, ${HOSTS * SLOTS} at once; hosts exchange commits through a bare repository on the same disk`;
    return { value: onHosts, unit: 'ms a task', ceiling: local, ratio: onHosts / local, note };
  },
};

async function orderTimes(url: string, count: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-bench-hosts-'));
  const candidate = { server: 'one', holder: 'one' };
  const file = join(folder, 'read-model.db');
  const { store, fleet } = await openPostgresStore({ url, file, world: realWorld, candidate, lead: true });
  const registered = Promise.withResolvers<void>();
  fleet?.onChange(() => fleet.hosts.length > 0 && registered.resolve());
  const registration = registrationOf('b2');
  await using link = new HostLink(url, registration, realWorld);
  await link.register(undefined);
  await registered.promise;
  const never = new AbortController().signal;
  const one = { attempt: 1, check: 0 };
  await link.receive(one, never);
  const times: number[] = [];
  for (let number = 0; number < count + WARM_UP; number += 1) {
    const order = {
      id: `r-${number}-1`,
      kind: 'attempt' as const,
      host: 'b2',
      instance: registration.instance,
      body: '{}',
    };
    const began = performance.now();
    const event = { type: 'attempt.started', data: {} };
    const appended = store.append([{ stream: 'run/r', expected: number, events: [event], order }], 1);
    for (let accepted = 0; accepted === 0; ) accepted = (await link.receive(one, never)).orders.length;
    if (number >= WARM_UP) times.push(performance.now() - began);
    await appended;
  }
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  return times;
}

async function bareTimes(url: string, count: number): Promise<number[]> {
  await using connection = new Connection(url);
  const executeSql = (text: string, values?: unknown[]) => connection.use((client) => client.query(text, values));
  const boss = new PgBoss({ db: { executeSql }, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bare');
  const times: number[] = [];
  for (let number = 0; number < count + WARM_UP; number += 1) {
    const began = performance.now();
    await boss.send('bare', { number });
    await boss.fetch('bare');
    if (number >= WARM_UP) times.push(performance.now() - began);
  }
  await boss.stop({ graceful: false, close: false });
  return times;
}

async function taskTimes(url: string, items: number, isOnHosts: boolean): Promise<number> {
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

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}
