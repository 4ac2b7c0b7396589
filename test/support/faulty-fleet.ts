import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FAULTY_AGENT, isFailing, itemLines, numbers } from './faulty-items.ts';
import { type FleetProject, makeFleetProject, shiftedClock } from './fleet.ts';
import { RUN_ENDED, violationsOf } from './fleet-violations.ts';
import { type Cut, type HostNetwork, makeHostNetwork, withoutFolders } from './host-network.ts';
import { makeOtherRelease } from './other-release.ts';
import { type Postgres, query } from './postgres.ts';
import type { Scratch } from './scratch.ts';

type Options = {
  items: number;
  random: () => number;
  /** By how much the clock of each host is wrong, by its number. */
  clockOffsetsMs?: readonly number[];
  /** Where servers and hosts kill themselves: each at one of these points, at its first or a later pass. */
  crashPoints?: { servers: readonly string[]; hosts: readonly string[] };
};
type Running = ReturnType<Scratch['start']>;

const SERVERS = ['server-a', 'server-b'] as const;
const SLOTS = 8;
/** The last items wait until every fault was injected, so that no fault comes after the run. */
const HELD_ITEMS = 10;
/** Longer than a run takes after its faults, on a slow machine. */
const MAX_REST_MS = 600_000;
/** Longer than a takeover and the start of a server take, on a slow machine. */
const MAX_WAIT_MS = 120_000;
const END_MS = 60_000;
const AGAIN_MS = 200;
/** A program that kills itself does so at the latest when it passes its point so often. */
const MOST_PASSES = 12;

/** A run on two servers and several hosts that are made to fail, and are started again as a service would be. */
export class FaultyFleet implements AsyncDisposable {
  readonly fleet: FleetProject;
  readonly postgres: Postgres;
  readonly run: string;
  /** The database of the installation. */
  readonly url: string;
  readonly #networks: readonly HostNetwork[];
  readonly #options: Options;
  readonly #running: Map<string, Running>;
  readonly #services: Promise<void>[] = [];
  readonly #problems: string[] = [];
  /** The tasks of which an agent was killed. */
  readonly #killed = new Set<string>();
  /** How many programs were killed, or killed themselves; undefined once they do so no more. */
  #crashes: number | undefined = 0;
  #isEnding = false;

  private constructor(
    {
      fleet,
      postgres,
      run,
      url,
      running,
    }: Pick<FaultyFleet, 'fleet' | 'postgres' | 'run' | 'url'> & { running: Map<string, Running> },
    networks: readonly HostNetwork[],
    options: Options,
  ) {
    this.fleet = fleet;
    this.postgres = postgres;
    this.run = run;
    this.url = url;
    this.#networks = networks;
    this.#options = options;
    this.#running = running;
  }

  /** Resolves when the run has begun: two servers, one of which leads, and a host in each network. */
  static async start(postgres: Postgres, networks: readonly HostNetwork[], options: Options): Promise<FaultyFleet> {
    const url = await postgres.createDatabase();
    const fleet = await makeFleetProject(url, options.items, {
      files: { 'agent.sh': FAULTY_AGENT, 'items.jsonl': itemLines(options.items) },
      check: 'test -x agent.sh && ! grep -rqs wrong made',
    });
    try {
      const { project } = fleet;
      writeFileSync(join(project.root, 'ran.hold'), String(options.items - HELD_ITEMS));
      const running = new Map<string, Running>();
      const [first] = SERVERS;
      const env = { ...fleet.env, MANYHANDS_HOME: join(project.root, first) };
      running.set(first, project.start(['serve', '--port', '0'], { env }));
      await waitFor(`${first} leads`, async () => (await leaderOf(url)) === first);
      const work = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--detach', '--json'];
      let started = await project.mh(work, { env });
      // The server leads before its socket is open.
      for (let tries = 0; started.code !== 0 && tries < 20; tries += 1) started = await project.mh(work, { env });
      if (started.code !== 0) throw new Error(`The run was not started: ${started.stderr}`);
      const [stream] = await query(url, "SELECT stream FROM manyhands.events WHERE type = 'run.started'");
      const faulty = new FaultyFleet(
        { fleet, postgres, url, running, run: String(stream?.stream).slice('run/'.length) },
        networks,
        options,
      );
      for (const server of SERVERS) faulty.#services.push(faulty.#keepServer(server));
      for (const number of networks.keys()) faulty.#services.push(faulty.#keepHost(number));
      await waitFor('attempts begin', async () => fleet.ran().length >= 3);
      return faulty;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Kills the leader, if one leads within the time of a takeover. */
  async killLeader(): Promise<void> {
    this.#running.get(await this.#leader())?.kill('SIGKILL');
  }

  killServers(): void {
    for (const server of SERVERS) this.#running.get(server)?.kill('SIGKILL');
  }

  /** Kills a host as a power failure would, with its agents left to its guard. */
  killHost(): void {
    this.#running.get(this.#anyHost())?.kill('SIGKILL');
  }

  /** Kills one agent, if one runs; at most one of each task, which fails when its agents fail again and again. */
  killAgent(): void {
    const agents = this.#agents().filter(({ pid }) => !this.#killed.has(taskOf(pid)));
    const agent = agents[Math.floor(this.#options.random() * agents.length)];
    if (agent === undefined) return;
    this.#killed.add(taskOf(agent.pid));
    process.kill(agent.pid, 'SIGKILL');
  }

  /** Resolves when so many servers and hosts have killed themselves; from then on none does. */
  async crash(times: number): Promise<void> {
    // Started again, each has a point.
    const most = (this.#crashes ?? 0) + this.#running.size + times;
    for (const running of this.#running.values()) running.kill('SIGKILL');
    await waitFor(`${times} programs kill themselves`, async () => (this.#crashes ?? most) >= most, MAX_REST_MS);
    this.#crashes = undefined;
    for (const running of this.#running.values()) running.kill('SIGKILL');
  }

  async cutHost(which: Cut, seconds: number): Promise<void> {
    const network = this.#networks[Math.floor(this.#options.random() * this.#networks.length)];
    network?.cut(which);
    await pause(seconds * 1_000);
    network?.restore();
  }

  /** Pauses the leader; the other server leads meanwhile, and the paused one must end by itself when it continues. */
  async pauseLeader(seconds: number): Promise<void> {
    const leader = await this.#leader();
    const paused = this.#running.get(leader);
    paused?.kill('SIGSTOP');
    await pause(seconds * 1_000);
    const other = await this.#leader();
    paused?.kill('SIGCONT');
    if (other === leader) this.#problems.push(`no server has replaced ${leader}, which was paused`);
    const ended = await Promise.race([paused?.done, pause(END_MS)]);
    if (ended === undefined) this.#problems.push(`${leader} was replaced while it was paused, and has not ended`);
    else if (ended.code === 0) this.#problems.push(`${leader} was replaced while it was paused, and has ended with 0`);
  }

  /** Adds a host of another release: one difference is allowed, a larger one is refused with its reason. */
  async addHostOfRelease(by: number): Promise<void> {
    const { project, env } = this.fleet;
    const name = `release${by}`;
    const host = project.start(['host', '--name', name, '--slots', '2'], {
      env: { ...env, MANYHANDS_HOME: join(project.root, `machine-${name}`) },
      launcher: makeOtherRelease(join(project.root, `program-${name}`), by),
    });
    if (Math.abs(by) <= 1) {
      await host.received('is registered');
      await waitFor('the host of another release works', async () => this.fleet.ran().some((one) => one.host === name));
      host.kill('SIGTERM');
      await host.done;
      return;
    }
    const { code, stderr } = await host.done;
    const isRefused = code !== 0 && /releases (newer|older) than this program/.test(stderr);
    if (!isRefused) this.#problems.push(`a host of release ${by} was not refused: ${stderr}`);
  }

  /** Takes the repository of the hosts away, or lets it refuse or delay pushes, for some seconds. */
  async disturbGit(how: 'down' | 'slow' | 'refuses', seconds: number): Promise<void> {
    const { exchange } = this.fleet;
    const hook = join(exchange, 'hooks', 'pre-receive');
    if (how === 'down') renameSync(exchange, `${exchange}.away`);
    else writeFileSync(hook, `#!/bin/sh\n${how === 'slow' ? 'sleep 2' : 'exit 1'}\n`, { mode: 0o755 });
    await pause(seconds * 1_000);
    if (how === 'down') renameSync(`${exchange}.away`, exchange);
    else rmSync(hook);
  }

  /** Resolves with everything that must not be after the run has ended; nothing if all is well. */
  async violations(): Promise<string[]> {
    const { project, exchange } = this.fleet;
    rmSync(join(project.root, 'ran.hold'), { force: true });
    const isEnded = () => query(this.url, RUN_ENDED).then((rows) => rows.length > 0);
    await waitFor('the run ends', isEnded, MAX_REST_MS).catch(() => this.#problems.push('the run did not end'));
    const orphans = this.#agents().map(({ command }) => `an agent is left after the run: ${command}`);
    await this.#end();
    return [
      ...this.#problems,
      ...orphans,
      ...(await violationsOf({
        url: this.url,
        repository: exchange,
        paid: readFileSync(join(project.root, 'ran.paid'), 'utf8').trim().split('\n'),
        run: this.run,
        project: project.repo,
        landing: numbers(this.#options.items).filter((number) => !isFailing(number)),
        failing: numbers(this.#options.items).filter(isFailing),
      })),
      ...(await project.leftovers()).map(({ command }) => `left running: ${command}`),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await this.fleet[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    this.#isEnding = true;
    for (const network of this.#networks) network.restore();
    for (const [name, process] of this.#running) {
      process.kill('SIGTERM');
      const ended = await Promise.race([process.done, pause(END_MS, undefined, { ref: false })]);
      if (ended !== undefined) continue;
      this.#problems.push(`${name} did not end`);
      process.kill('SIGKILL');
    }
    await Promise.all(this.#services);
  }

  #agents() {
    return this.fleet.project.alive().filter(({ command }) => /^\/bin\/sh .*agent\.sh/.test(command));
  }

  async #leader(): Promise<string> {
    let leader: string | undefined;
    await waitFor('a server leads', async () => {
      leader = await leaderOf(this.url);
      return leader !== undefined;
    });
    return leader ?? '';
  }

  #anyHost(): string {
    return `b${Math.floor(this.#options.random() * this.#networks.length)}`;
  }

  async #keepServer(name: (typeof SERVERS)[number]): Promise<void> {
    const { project, env } = this.fleet;
    const home = join(project.root, name);
    await this.#keep(name, () =>
      project.start(['serve', '--port', '0'], { env: { ...env, ...this.#crash('servers'), MANYHANDS_HOME: home } }),
    );
  }

  async #keepHost(number: number): Promise<void> {
    const { project, env } = this.fleet;
    const name = `b${number}`;
    const network = this.#networks[number];
    const url = new URL(this.url);
    if (network !== undefined) url.hostname = network.server;
    const offset = this.#options.clockOffsetsMs?.[number] ?? 0;
    const clock = offset === 0 ? {} : { NODE_OPTIONS: `--import=${shiftedClock(offset)}` };
    const home = join(project.root, `machine-${name}`);
    const others = [project.repo, ...SERVERS.map((server) => join(project.root, server))];
    const prefix = network === undefined ? [] : [...network.prefix, ...withoutFolders(others)];
    await this.#keep(name, () =>
      project.start(['host', '--name', name, '--slots', String(SLOTS)], {
        env: { ...env, ...clock, ...this.#crash('hosts'), MANYHANDS_DATABASE_URL: url.href, MANYHANDS_HOME: home },
        prefix,
      }),
    );
  }

  /** Where a program that is started now kills itself. */
  #crash(what: 'servers' | 'hosts'): Record<string, string> {
    const { crashPoints, random } = this.#options;
    const points = this.#crashes === undefined ? [] : (crashPoints?.[what] ?? []);
    const point = points[Math.floor(random() * points.length)];
    return point === undefined ? {} : { MANYHANDS_CRASH: `${point}:${1 + Math.floor(random() * MOST_PASSES)}` };
  }

  /** Starts a program again whenever it ends. */
  async #keep(name: string, start: () => Running): Promise<void> {
    while (!this.#isEnding) {
      const running = this.#running.get(name) ?? start();
      this.#running.set(name, running);
      const { signal } = await running.done;
      if (signal === 'SIGKILL' && this.#crashes !== undefined) this.#crashes += 1;
      this.#running.delete(name);
      if (!this.#isEnding) await pause(1_000);
    }
  }
}

/** The networks of hosts, made before PostgreSQL listens on their addresses. */
export function makeNetworks(count: number): HostNetwork[] {
  return numbers(count).map(makeHostNetwork);
}

/** The task of an agent, by the environment of its process; empty if it has ended. */
function taskOf(pid: number): string {
  try {
    return /\0MANYHANDS_TASK=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** The server whose lease has not ended. */
async function leaderOf(url: string): Promise<string | undefined> {
  const [row] = await query(url, 'SELECT holder FROM manyhands.installation WHERE expires_at > clock_timestamp()');
  return SERVERS.find((server) => String(row?.holder).includes(server));
}

/** Waits until it is so; a database that does not answer is asked again. */
async function waitFor(what: string, isSo: () => Promise<boolean>, mostMs = MAX_WAIT_MS): Promise<void> {
  for (const giveUpAt = Date.now() + mostMs; Date.now() < giveUpAt; await pause(AGAIN_MS))
    if (await isSo().catch(() => false)) return;
  throw new Error(`It did not happen within ${mostMs / 1_000} s that ${what}`);
}
