import { statfs } from 'node:fs/promises';
import { freemem, hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { USABLE_EVERYWHERE } from '../agents/agent-kinds.ts';
import { Coordination } from '../engine/attempt/coordination.ts';
import { endUnknownAgents } from '../engine/attempt/launch-record.ts';
import { ForwardedCalls } from '../engine/hosts/forwarded-calls.ts';
import { FENCE_MS, Host } from '../engine/hosts/host.ts';
import { HostTransfers } from '../engine/hosts/host-transfers.ts';
import { createSealKeys } from '../engine/hosts/sealed-text.ts';
import { Activities } from '../engine/loop/activities.ts';
import { recoverFromCrash } from '../engine/start/recover-from-crash.ts';
import { AppError } from '../errors.ts';
import { Slots } from '../git/slots.ts';
import { type Home, prepareHome, resolveHome } from '../home.ts';
import { chooseImplementations } from '../implementations.ts';
import { keepGuard, startGuard } from '../process/heartbeat-guard.ts';
import { NetworkProxy } from '../process/network/proxy-client.ts';
import { processSpawner } from '../process/spawner/spawner.ts';
import { HOSTS_RELEASE, HostName, type HostRegistration } from '../store/fleet.ts';
import { acquireLock } from '../store/lock.ts';
import { readPrivate, writePrivate } from '../store/private-file.ts';
import { IN_MEMORY, openSqliteStore } from '../store/sqlite/open.ts';
import type { World } from '../world.ts';
import { HostTools } from './host-tools.ts';
import { reviveError } from './socket/protocol.ts';

/** How this process is a host. */
export type HostOptions = {
  name: string;
  slots: number;
  /** Restricts the agents that it runs; by default all that work here. */
  agents: readonly string[] | undefined;
  labels: readonly string[];
  version: string;
  env: NodeJS.ProcessEnv;
  world: World;
  /** The program that guards this one, with its arguments. */
  guard: readonly string[];
  signal: AbortSignal;
  /** Called when it is registered. */
  onRegistered(registration: HostRegistration): void;
  log(line: string): void;
};

const InstanceId = z.string().regex(/^[0-9a-f-]{36}$/);
/** The process that is registered; while one registers, also those before it. */
const Instances = z.object({ instance: InstanceId, previous: z.array(InstanceId).default([]) });
const MOST_PREVIOUS = 100;

/** Is a host until the signal aborts: registers, performs orders, and gives its lease back. Rejects with HOST_LOST when it loses it. */
export async function runHost(options: HostOptions): Promise<void> {
  const { world, env, log } = options;
  const name = HostName.safeParse(options.name);
  if (!name.success) throw new AppError('USAGE', `--name ${options.name} ${name.error.issues[0]?.message}`);
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url)
    throw new AppError(
      'USAGE',
      `A host needs MANYHANDS_DATABASE_URL: manyhands host add ${name.data}, on the server, prints the one for this host`,
    );
  const home = hostHome(env, name.data);
  await prepareHome(home);
  await using lock = await acquireLock(home.lock, world);
  if (lock === undefined) throw new AppError('HOST_TAKEN', `Another process on this machine is the host ${name.data}`);
  await using memory = await openSqliteStore({ file: IN_MEMORY, world });
  await recoverFromCrash(home, { read: () => [] });
  const keys = createSealKeys();
  const described = await describeHost({ ...options, name: name.data }, home);
  const registration = { ...described, sealKey: keys.publicKey };
  const file = join(home.root, 'instance.json');
  const known = await readPrivate(file, Instances);
  const previous = known === undefined ? [] : [known.instance, ...known.previous].slice(0, MOST_PREVIOUS);
  const { instance } = registration;
  await writePrivate(file, { instance, previous }, world);
  const { HostLink } = await import('../store/postgres/hosts/host-link.ts');
  await using link = new HostLink(url, registration, world);
  await link.register(previous);
  await writePrivate(file, { instance }, world);
  if (!(await link.isRestricted()))
    log(`This host has all rights of the server: give it its own login with manyhands host add ${name.data}`);
  processSpawner.expectMany();
  const agentEnv = withoutDatabase(env);
  await using guard = startGuard(options.guard, agentEnv);
  const calls = new ForwardedCalls(reviveError);
  const tools: HostTools = new HostTools({ root: home.root, world, calls, waits: () => coordination.waits });
  // An attempt that waits in a tool call makes room for another one.
  const coordination: Coordination = new Coordination({ store: memory, world, tools }, () => link.wake());
  const context = {
    home,
    world: withOffset(world, () => link.clockOffsetMs),
    env: agentEnv,
    hostEnv: { ...env, MANYHANDS_DATABASE_PASSWORD: decodeURIComponent(new URL(url).password) },
    implementations: chooseImplementations(agentEnv),
    activities: new Activities(world),
    network: new NetworkProxy(home.root, agentEnv),
    coordination,
    hosts: undefined,
    transfers: new HostTransfers(world),
    checkSlots: new Slots(registration.checks),
    spentToday: () => 0,
  };
  const onRenewed = (elapsedMs: number) => guard.beat(elapsedMs);
  const { slots, checks, agents } = registration;
  const host = new Host({ context, memory, installation: link, slots, checks, calls, agents, keys, onRenewed, log });
  options.signal.addEventListener('abort', () => host.stop(), { once: true });
  // The guard ends before this process only when it has killed the agents, or was killed itself.
  void guard.ended.then(() => host.fence('The lease of this host could not be renewed in time'));
  options.onRegistered(registration);
  await host.run();
  await context.network.leave();
  if (host.lost.aborted) throw new AppError('HOST_LOST', `The host ${name.data} lost its lease`);
  await link.end();
}

/** The guard of a host: ends its agents at once when it does not renew its lease in time, is killed, or is paused. */
export async function guardHost(env: NodeJS.ProcessEnv, name: string, world: World): Promise<void> {
  const result = await keepGuard(process.stdin, FENCE_MS, world);
  if (result === 'late') await endUnknownAgents(hostHome(env, name), { read: () => [] }, { graceMs: 0 });
}

/** The clock of the installation: transcripts and deadlines have its time, also where the clock of this machine is wrong. */
function withOffset(world: World, offsetMs: () => number): World {
  return {
    ...world,
    now: () => world.now() + offsetMs(),
    alarm: (at, ring) => world.alarm(at - offsetMs(), ring),
  };
}

/** A host has a data directory of its own below that of the machine, so that a server can run beside it. */
function hostHome(env: NodeJS.ProcessEnv, name: string): Home {
  return resolveHome({
    ...env,
    MANYHANDS_HOME: join(resolveHome(env).root, 'hosts', name),
    MANYHANDS_DATABASE_URL: '',
  });
}

/** Agents, set-up commands and checks never see how the host reaches its installation. */
function withoutDatabase(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !/^(MANYHANDS_DATABASE_URL|PG[A-Z]+)$/.test(key)));
}

async function describeHost(options: HostOptions, home: Home): Promise<HostRegistration> {
  const { bavail, bsize } = await statfs(home.root);
  return {
    name: options.name,
    instance: options.world.token(),
    slots: options.slots,
    checks: await mostChecks(options.env),
    agents: await workingAgents(options),
    labels: [...options.labels],
    memoryBytes: freemem(),
    diskBytes: bavail * bsize,
    version: options.version,
    release: HOSTS_RELEASE,
    machine: `${hostname()}:${home.root}`,
  };
}

/** How many checks the settings of this machine allow at once. */
async function mostChecks(env: NodeJS.ProcessEnv): Promise<number> {
  const { limits } = await chooseImplementations(env).config(resolveHome(env).root);
  return limits.checks;
}

/** The names and kinds of agents that can be used here, as doctor finds them. */
async function workingAgents({ env, agents: only, log }: HostOptions): Promise<string[]> {
  const implementations = chooseImplementations(env);
  const root = resolveHome(env).root;
  const config = await implementations.config(root);
  const pinned = implementations.pin({ config, dir: root, root, choices: [], rehearse: false, scenario: undefined });
  const project = { id: 'none', root };
  const agents = implementations.agents({ config: { ...config, agents: pinned.agents }, project });
  const found = new Set(USABLE_EVERYWHERE);
  for (const agent of agents.values()) {
    const { ok, detail } = await agent.available();
    if (ok) found.add(agent.name).add(agent.kind);
    else log(`${agent.name} is not used: ${detail}`);
  }
  const missing = (only ?? []).filter((name) => !found.has(name));
  if (missing.length > 0) throw new AppError('AGENT_MISSING', `This machine has no usable agent ${missing.join(', ')}`);
  return [...found].filter((name) => only?.includes(name) ?? true);
}
