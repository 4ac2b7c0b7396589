import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { namedCommits } from '../../src/core/run/named-commits.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { RunEvent } from '../../src/schema/event.ts';
import { HOSTS_RELEASE } from '../../src/store/fleet.ts';
import { type FleetProject, makeFleetProject } from './fleet.ts';
import { type Cut, type HostNetwork, makeHostNetwork } from './host-network.ts';
import { type Postgres, query } from './postgres.ts';

type Options = { items: number; hosts: number; random: () => number; clockOffsetMs?: number };
type Running = ReturnType<FleetProject['project']['start']>;

/** How long an agent works, so that faults find many of them. */
const AGENT_SECONDS = 5;
/** Longer than any run with faults takes on a slow machine. */
const MAX_RUN_MS = 900_000;

/** A run on hosts whose parts are made to fail, and are started again as a service would be. */
export class FaultyFleet implements AsyncDisposable {
  readonly fleet: FleetProject;
  readonly postgres: Postgres;
  readonly #url: string;
  readonly #networks: HostNetwork[];
  readonly #options: Options;
  readonly #hosts = new Map<string, Running>();
  readonly #services: Promise<void>[] = [];
  readonly #problems: string[] = [];
  #leader: Running | undefined;
  #run: Promise<void> | undefined;
  #isEnding = false;
  #isOver = false;

  private constructor(
    fleet: FleetProject,
    parts: Pick<FaultyFleet, 'postgres'> & { url: string },
    options: Options,
    networks: HostNetwork[],
  ) {
    this.fleet = fleet;
    this.postgres = parts.postgres;
    this.#url = parts.url;
    this.#networks = networks;
    this.#options = options;
  }

  static async start(postgres: Postgres, networks: HostNetwork[], options: Options): Promise<FaultyFleet> {
    const url = await postgres.createDatabase();
    const fleet = await makeFleetProject(url, options.items);
    writeFileSync(join(fleet.project.root, 'ran.seconds'), String(AGENT_SECONDS));
    const faulty = new FaultyFleet(fleet, { postgres, url }, options, networks);
    for (let number = 0; number < options.hosts; number += 1) faulty.#services.push(faulty.#keepHost(number));
    faulty.#run = faulty.#keepLeader().finally(() => {
      faulty.#isOver = true;
    });
    while (fleet.ran().length < 3) await pause(50);
    return faulty;
  }

  get leader(): Running | undefined {
    return this.#leader;
  }

  /** Notes that a fault came too late to show anything. */
  requireRunning(): void {
    if (this.#isOver) this.#problems.push('the run ended before a fault');
  }

  /** Kills a host as a power failure would, with its agents left to its guard. */
  killHost(): void {
    this.#hosts.get(this.#anyHost())?.kill('SIGKILL');
  }

  killLeader(): void {
    this.#leader?.kill('SIGKILL');
  }

  /** Kills one agent, if one runs. */
  killAgent(): void {
    const agents = this.fleet.project.alive().filter(({ command }) => /^\/bin\/sh .*agent\.sh/.test(command));
    const agent = agents[Math.floor(this.#options.random() * agents.length)];
    if (agent !== undefined) process.kill(agent.pid, 'SIGKILL');
  }

  async cutHost(which: Cut, seconds: number): Promise<void> {
    const network = this.#networks[Math.floor(this.#options.random() * this.#options.hosts)];
    network?.cut(which);
    await pause(seconds * 1_000);
    network?.restore();
  }

  /** Kills the leader while a second server stands by, which continues the run and then ends as well. */
  async replaceLeader(seconds: number): Promise<void> {
    const second = this.#startSecond();
    await second.received('Standing by');
    this.killLeader();
    await pause(seconds * 1_000);
    second.kill('SIGKILL');
    await second.done;
  }

  /** Lets a host seem to be of another release; the one before is accepted, older ones are not. */
  async changeRelease(by: number): Promise<void> {
    const other = `jsonb_set(registration::jsonb, '{release}', '${HOSTS_RELEASE + by}')::text`;
    await query(this.#url, `UPDATE manyhands.hosts SET registration = ${other} WHERE name = '${this.#anyHost()}'`);
  }

  /** Pauses the leader while a second server stands by and takes over; the paused one must not write afterwards. */
  async pauseLeader(seconds: number): Promise<void> {
    const second = this.#startSecond();
    const paused = this.#leader;
    paused?.kill('SIGSTOP');
    await pause(seconds * 1_000);
    paused?.kill('SIGCONT');
    await pause(2_000);
    second.kill('SIGTERM');
    await second.done;
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
    await this.#run;
    const { project, env, exchange } = this.fleet;
    const found = [...this.#problems];
    const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
    const document = RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
    const open = document.tasks.filter(({ status }) => status !== 'done' && status !== 'failed');
    found.push(...open.map(({ key, status }) => `task ${key} is ${status}`));
    const done = document.tasks.filter(({ status }) => status === 'done').length;
    if (done !== this.#options.items) found.push(`${done} of ${this.#options.items} tasks are done`);
    const files = project.git('ls-tree', '-r', '--name-only', `mh/${run}`, 'made').split('\n').filter(Boolean);
    if (files.length !== done) found.push(`${files.length} files landed of ${done} tasks`);
    found.push(...paidTwice(join(project.root, 'ran.paid')));
    const gaps = await query(
      this.#url,
      'SELECT stream FROM manyhands.events GROUP BY stream HAVING count(*) <> max(version)',
    );
    found.push(...gaps.map(({ stream }) => `stream ${stream} has gaps`));
    const orders = await query(this.#url, 'SELECT id FROM manyhands.orders');
    found.push(...orders.map(({ id }) => `the order ${id} is left`));
    found.push(...(await lostCommits(this.#url, exchange)).map((commit) => `commit ${commit} is lost`));
    await this.#end();
    found.push(...(await project.leftovers()).map(({ command }) => `left running: ${command}`));
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await this.fleet[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    this.#isEnding = true;
    for (const host of this.#hosts.values()) host.kill('SIGTERM');
    await Promise.all(this.#services);
  }

  /** Another server may have ended the run. */
  async #isEnded(): Promise<boolean> {
    const { project, env } = this.fleet;
    const list = (await project.mh(['ls', '--all', '--json'], { env })).json as { status: string }[] | undefined;
    return list?.[0]?.status === 'done' || list?.[0]?.status === 'failed';
  }

  #startSecond(): Running {
    const { project, env } = this.fleet;
    return project.start(['serve', '--port', '0'], { env: { ...env, MANYHANDS_HOME: join(project.root, 'second') } });
  }

  #anyHost(): string {
    return `b${Math.floor(this.#options.random() * this.#options.hosts)}`;
  }

  async #keepHost(number: number): Promise<void> {
    const { project, env } = this.fleet;
    const name = `b${number}`;
    const network = this.#networks[number];
    const url = new URL(this.#url);
    if (network !== undefined) url.hostname = network.server;
    const offset = this.#options.clockOffsetMs ?? 0;
    const clock = offset === 0 ? {} : { NODE_OPTIONS: `--import=${shiftedClock(offset)}` };
    while (!this.#isEnding) {
      const host = project.start(['host', '--name', name, '--slots', '8'], {
        env: {
          ...env,
          ...clock,
          MANYHANDS_DATABASE_URL: url.href,
          MANYHANDS_HOME: join(project.root, `machine-${name}`),
        },
        ...(network === undefined ? {} : { prefix: network.prefix }),
      });
      this.#hosts.set(name, host);
      await host.done;
      if (!this.#isEnding) await pause(1_000);
    }
  }

  /** Starts the engine again until the run has ended, as a service would. */
  async #keepLeader(): Promise<void> {
    const { project, env } = this.fleet;
    let args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
    let last = '';
    for (const giveUpAt = Date.now() + MAX_RUN_MS; Date.now() < giveUpAt; ) {
      this.#leader = project.start(args, { env });
      const ended = await this.#leader.done;
      if (ended.code === 0 || ended.code === 1 || (await this.#isEnded())) return;
      last = `code ${ended.code}, ${ended.stderr.trim().split('\n').slice(-5).join(' | ')}`;
      args = ['bulk', 'resume', '--json'];
      await pause(1_000);
    }
    this.#problems.push(`the run did not end: ${last}`);
  }
}

/** The networks of hosts, made before PostgreSQL listens on their addresses. */
export function makeNetworks(count: number): HostNetwork[] {
  return Array.from({ length: count }, (_, number) => makeHostNetwork(number));
}

/** An attempt that an agent began twice, or a task of which two agents ran at once. */
function paidTwice(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const attempts = lines.map((line) => line.split(' ')[0] ?? '');
  const twice = attempts.filter((attempt, index) => attempts.indexOf(attempt) !== index);
  const together = lines.filter((line) => line.endsWith(' together'));
  return [...twice.map((attempt) => `${attempt} began twice`), ...together.map((line) => `ran at once: ${line}`)];
}

/** The commits that an event names and the repository of the hosts does not have. */
export async function lostCommits(url: string, repository: string): Promise<string[]> {
  const rows = await query(url, "SELECT type, data FROM manyhands.events WHERE stream LIKE 'run/%' ORDER BY position");
  const commits = namedCommits(rows.map(({ type, data }) => RunEvent.parse({ type, data: JSON.parse(String(data)) })));
  const input = `${commits.join('\n')}\n`;
  const found = execFileSync('git', ['-C', repository, 'cat-file', '--batch-check'], { input, encoding: 'utf8' });
  return found.split('\n').flatMap((line) => (line.endsWith(' missing') ? line.slice(0, -' missing'.length) : []));
}

/** A module that moves the clock of the process that imports it. */
function shiftedClock(offsetMs: number): string {
  const source = `const now = Date.now; const Real = Date; const moved = () => now() + ${offsetMs};
    globalThis.Date = class extends Real { constructor(...args) { args.length === 0 ? super(moved()) : super(...args); } static now() { return moved(); } };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
