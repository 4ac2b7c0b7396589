import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FleetProject, makeFleetProject } from '../test/support/fleet.ts';
import { query, startPostgres } from '../test/support/postgres.ts';
import type { Scratch } from '../test/support/scratch.ts';
import type { Benchmark } from './benchmark.ts';
import { listed, median } from './timing.ts';

const ROUNDS = 3;
const ITEMS = 4;
const POLL_MS = 50;
const LONGEST_MS = 120_000;
/** What is required, in seconds. */
const TAKEOVER_SECONDS = 30;
const RESTART_SECONDS = 45;

/** How long nobody decides after the leader was killed. */
export const takeover: Benchmark = {
  name: 'takeover',
  summary: `seconds from the kill of the leader until the other server has continued its run, against ${TAKEOVER_SECONDS}; the middle one of ${ROUNDS}`,
  target: { is: 'at most', ratio: 1 },
  measure: (isQuick) => measureFailure(isQuick ? 1 : ROUNDS, TAKEOVER_SECONDS, takeOver),
};

/** How long the task of a dead host waits. */
export const deadHost: Benchmark = {
  name: 'dead-host',
  summary: `seconds from the kill of a host until its task runs on another one, against ${RESTART_SECONDS}; the middle one of ${ROUNDS}`,
  target: { is: 'at most', ratio: 1 },
  measure: (isQuick) => measureFailure(isQuick ? 1 : ROUNDS, RESTART_SECONDS, restartElsewhere),
};

type Parts = { fleet: FleetProject; url: string };

async function measureFailure(rounds: number, most: number, fail: (parts: Parts) => Promise<number>) {
  await using postgres = await startPostgres();
  const seconds: number[] = [];
  while (seconds.length < rounds) {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, ITEMS);
    fleet.hold(true);
    seconds.push((await fail({ fleet, url })) / 1_000);
  }
  const value = median(seconds);
  return { value, unit: 's', ceiling: most, ratio: value / most, note: `rounds ${listed(seconds, 1)} s` };
}

async function takeOver({ fleet, url }: Parts): Promise<number> {
  const { env, project } = fleet;
  const first = await startServer(fleet, url, 'one');
  startOther(fleet, 'two');
  await fleet.startHost('b1');
  await startRun(fleet, 'one');
  const terms = async () => Number((await query(url, 'SELECT max(epoch) AS epoch FROM manyhands.terms'))[0]?.epoch);
  const before = await terms();
  await until(async () => fleet.ran().length === ITEMS);
  first.kill('SIGKILL');
  const began = performance.now();
  await until(async () => (await terms()) > before);
  fleet.hold(false);
  await until(async () => (await countEvents(url, 'tasks.landed', before)) > 0);
  const took = performance.now() - began;
  await project.mh(['stop'], { env: { ...env, MANYHANDS_HOME: join(project.root, 'two') } });
  return took;
}

async function restartElsewhere({ fleet, url }: Parts): Promise<number> {
  await startServer(fleet, url, 'one');
  const dead = await fleet.startHost('b1');
  await startRun(fleet, 'one');
  await until(async () => fleet.ran().length === ITEMS);
  await fleet.startHost('b2');
  dead.kill('SIGKILL');
  const began = performance.now();
  await until(async () => fleet.ran().some(({ host }) => host === 'b2'));
  return performance.now() - began;
}

/** Starts a server, and resolves when it leads. */
async function startServer(fleet: FleetProject, url: string, name: string): Promise<ReturnType<Scratch['start']>> {
  const server = startOther(fleet, name);
  const holder = async () => String((await query(url, 'SELECT holder FROM manyhands.installation'))[0]?.holder);
  await until(async () => (await holder()).includes(join(fleet.project.root, name)));
  return server;
}

function startOther({ project, env }: FleetProject, name: string): ReturnType<Scratch['start']> {
  return project.start(['serve', '--port', '0'], { env: { ...env, MANYHANDS_HOME: join(project.root, name) } });
}

async function startRun({ project, env }: FleetProject, server: string): Promise<void> {
  const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--detach'];
  const at = { env: { ...env, MANYHANDS_HOME: join(project.root, server) } };
  // A server leads before its socket is open.
  await until(async () => (await project.mh(args, at)).code === 0);
}

/** The events of a type that were written in a later term. */
async function countEvents(url: string, type: string, epoch: number): Promise<number> {
  const sql = `SELECT count(*) AS count FROM manyhands.events WHERE type = $1
    AND commit_number > (SELECT min(after_commit) FROM manyhands.terms WHERE epoch > $2)`;
  return Number((await query(url, sql, [type, epoch]))[0]?.count);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + LONGEST_MS; performance.now() < giveUpAt; await pause(POLL_MS))
    if (await isSo()) return;
  throw new Error(`It did not happen within ${LONGEST_MS / 1_000} s`);
}
