import { existsSync, realpathSync } from 'node:fs';
import { homedir, totalmem } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent, AgentCommand, Assignment } from '../../agents/agent.ts';
import { containmentOf, type MachineContainment, ownSandboxUse } from '../../core/attempt/containment.ts';
import { type PermissionRequest, permissionsFor } from '../../core/attempt/permissions.ts';
import { type ResourceLimits, resourceLimitsFor } from '../../core/attempt/resources.ts';
import { limitSupport } from '../../process/limit-groups.ts';
import type { PortForward } from '../../process/network/forward.ts';
import { overlayFolders } from '../../process/sandbox/bubblewrap-trial.ts';
import { sandboxAvailability, sandboxCommand } from '../../process/sandbox/contain.ts';
import { NO_OVERLAYS, withLayered, withLayers } from '../../process/sandbox/overlays.ts';
import type { AvailableSandbox, Contain, SandboxAvailability, SandboxNetwork } from '../../process/sandbox/sandbox.ts';
import { seccompFile } from '../../process/sandbox/seccomp.ts';
import { packageCaches } from '../../process/sandbox/toolchains.ts';
import { controlFolder } from '../../process/terminal/files.ts';
import { isOfProject } from '../../schema/config/sandbox.ts';
import type { Config } from '../../schema/config.ts';
import type { ContainmentPart, ContainmentRecord } from '../../schema/containment.ts';
import { cachesIn, dependenciesIn } from '../../workspaces/shown-layers.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { dependencyFolders, triedLayering } from '../start/dependency-method.ts';
import { openAgentNetwork, openCommandNetwork } from './network.ts';
import { ownSandboxProblem } from './own-sandbox.ts';

/** Programs of ours that agents call, beside the built program. */
const OWN_PROGRAMS = dirname(fileURLToPath(import.meta.url));

/** What the sandbox of macOS cannot restrict, because the system has no namespaces. */
const RUNTIME_LIMITS = {
  processes: {
    contained: false,
    how: 'it can signal only its own processes, but it sees the names of others, and a process that leaves its group may outlive it',
  },
  sharesLoopback: true,
} as const;

/** Refuses a run whose settings require a sandbox that this machine does not have. */
export async function requireSandbox({ env }: Pick<EngineContext, 'env'>, config: Config): Promise<void> {
  containmentOf(config, await machineContainment(env));
}

/** What this machine can restrict for the programs of tasks. */
export async function machineContainment(
  env: NodeJS.ProcessEnv,
): Promise<MachineContainment & { sandbox: SandboxAvailability }> {
  const sandbox = await sandboxAvailability(env);
  return {
    sandbox,
    network: networkPart(sandbox),
    resources: resourcePart(),
    ...(sandbox.kind === 'available' && sandbox.backend === 'runtime' ? RUNTIME_LIMITS : {}),
  };
}

function networkPart(sandbox: SandboxAvailability): ContainmentPart {
  if (sandbox.kind === 'none') return { contained: false, how: sandbox.reason };
  const { networkProblem } = sandbox;
  if (networkProblem === undefined) return { contained: true, how: 'it reaches only the hosts that the settings list' };
  return { contained: false, how: `a program cannot get a network of its own: ${networkProblem}` };
}

/** What the programs of a run may use of this machine. */
export function resourcesOf({ ledger }: ActiveRun): ResourceLimits {
  return resourceLimitsFor(ledger.state.start.config, { memoryBytes: totalmem() });
}

function resourcePart(): ContainmentPart {
  const { controllers, by, problem } = limitSupport();
  if (problem !== undefined)
    return {
      contained: false,
      how: `memory and processes are not limited by the system, only ended when they are seen above their limit: ${problem}`,
    };
  const names = controllers.map((each) => ({ memory: 'memory', pids: 'processes', cpu: 'processors' })[each]);
  return { contained: true, how: `${names.join(', ')} by ${by}` };
}

/** How commands of the project are contained, and what they may use. */
type ContainedCommands = { contain: Contain | undefined; limits: ResourceLimits };

/** `canLayer`: the programs of a folder can be shown dependencies that are not in it. */
type ContainedPreparation = ContainedCommands & { canLayer: boolean };

/** How checks and set-up commands of a run are contained, and what they may use. */
export async function containCommands(
  ctx: EngineContext,
  run: ActiveRun,
  purpose: 'check' | 'setup',
): Promise<ContainedPreparation> {
  const sandbox = await sandboxOf(ctx, run);
  const limits = resourcesOf(run);
  if (sandbox.containWith === undefined) return { contain: undefined, limits, canLayer: false };
  const network = sandbox.hasNetwork ? await openCommandNetwork(ctx, run, purpose) : undefined;
  const contain = sandbox.containWith((cwd) => ({ purpose, workspace: cwd }), network);
  return { contain, limits, canLayer: sandbox.layering === undefined };
}

/** How an application of a run is contained; with a network of its own, `forward` opens the port on which others reach it. */
export async function containApplication(
  ctx: EngineContext,
  run: ActiveRun,
  forward: () => Promise<PortForward>,
): Promise<ContainedCommands & { forwarded: PortForward | undefined }> {
  const sandbox = await sandboxOf(ctx, run);
  const limits = resourcesOf(run);
  if (sandbox.containWith === undefined) return { contain: undefined, limits, forwarded: undefined };
  const network = sandbox.hasNetwork ? await openCommandNetwork(ctx, run, 'application') : undefined;
  // Without a loopback of its own it listens on that of the machine.
  const isForwarded = network !== undefined && sandbox.available?.backend === 'bubblewrap';
  const forwarded = isForwarded ? await forward() : undefined;
  const served = network === undefined ? undefined : { ...network, serves: forwarded, sharesLoopback: !isForwarded };
  const contain = sandbox.containWith((cwd) => ({ purpose: 'application', workspace: cwd }), served);
  return { contain, limits, forwarded };
}

/** Whether the programs of a run have a network of their own. */
export async function isNetworkContained(ctx: EngineContext, run: ActiveRun): Promise<boolean> {
  return (await sandboxOf(ctx, run)).hasNetwork;
}

/** Whether the programs of a run can be shown dependencies that are not in their folder. */
export async function canLayerDependencies(ctx: EngineContext, run: ActiveRun): Promise<boolean> {
  return (await sandboxOf(ctx, run)).layering === undefined;
}

/** The command of an attempt in its sandbox, and the record of how it is contained; `start` gives the command without one. */
export async function containAgent<C extends Omit<AgentCommand, 'pipeOutput'>>(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, assignment, start }: AgentStart<C>,
): Promise<{ program: C; record: ContainmentRecord }> {
  const { folder, workspace, shownFolders = [] } = assignment;
  const sandbox = await sandboxOf(ctx, run);
  const { programs: ownPrograms } = run.ledger.state.start.config.sandboxPaths;
  const own = await withOwnSandbox(ctx, sandbox, { agent, assignment, start });
  if (sandbox.containWith === undefined) return { program: own.program, record: { ...sandbox.record, ...own.record } };
  const started = sandbox.hasNetwork
    ? await openAgentNetwork(ctx, run, { agent, assignment, program: own.program })
    : { program: own.program, network: undefined, keys: [] };
  const { program, network, keys } = started;
  const { stdin, ...opened } = program;
  const { login = [], env, programs = [], isWorkspaceReadOnly } = program;
  // Who controls its terminal can start programs outside of the sandbox.
  const hidden = assignment.interactive === true ? [controlFolder(folder)] : [];
  const contain = sandbox.containWith(
    () => ({
      purpose: 'agent',
      workspace,
      agent: { folders: [folder, ...shownFolders], login, hidden, isWorkspaceReadOnly },
    }),
    network,
  );
  // Opened inside: through a descriptor from outside it could be written.
  const reading =
    stdin === undefined ? program.command : ['/bin/sh', '-c', 'exec "$@" <"$0"', stdin, ...program.command];
  const command = contain({
    command: reading,
    cwd: workspace,
    env,
    programs: [...shownPrograms(run, agent, [...program.command.slice(0, 2), ...programs]), ...(ownPrograms ?? [])],
  });
  const record: ContainmentRecord = {
    ...sandbox.record,
    login: keys.length > 0 ? 'outside' : 'inside',
    ...(dependenciesIn(workspace) === undefined ? {} : { dependencies: 'overlay' }),
    ...own.record,
  };
  // Only `stdin` is left out, which no command needs to have.
  return { program: { ...opened, command } as C, record };
}

/** Of an agent whose program the file of a project names, only what is in the repository: any other file would be shown with its folder. */
function shownPrograms(run: ActiveRun, { name }: Agent, words: readonly string[]): string[] {
  const { agents, sandboxPaths } = run.ledger.state.start.config;
  if (!isOfProject(name, agents, sandboxPaths)) return [...words];
  const root = realpathSync(run.project.repository.root);
  return words.filter((word) => isAbsolute(word) && existsSync(word) && realpathSync(word).startsWith(`${root}/`));
}

type AgentStart<C> = { agent: Agent; assignment: Assignment; start(assignment: Assignment): Promise<C> };

/** The command of an attempt, without the sandbox of its vendor where that cannot start in ours. */
async function withOwnSandbox<C extends Pick<AgentCommand, 'env'>>(
  ctx: EngineContext,
  { available }: Sandbox,
  { agent: { ownSandbox }, assignment, start }: AgentStart<C>,
): Promise<{ program: C; record: Pick<ContainmentRecord, 'ownSandbox'> }> {
  const program = await start(assignment);
  if (ownSandbox === undefined) return { program, record: {} };
  const kind = available === undefined ? 'none' : 'sandbox';
  if (!ownSandbox.isUsed(assignment))
    return { program, record: { ownSandbox: ownSandboxUse(kind, { kind: 'disabled' }) } };
  const place = { sandbox: available, folder: assignment.folder, dataFolder: ctx.home.root };
  const problem = available === undefined ? undefined : await ownSandboxProblem(ownSandbox, program.env, place);
  const use = ownSandboxUse(
    kind,
    problem === undefined ? { kind: 'works' } : { kind: 'fails', reason: problem.reason },
  );
  const started = use.used ? program : await start({ ...assignment, isSandboxReplaced: true });
  return { program: started, record: { ownSandbox: use } };
}

type Request = (cwd: string) => Omit<PermissionRequest, 'objects' | 'paths'>;
/** `containWith` is undefined where there is no sandbox; `hasNetwork`: a program can have a network of its own. */
type Sandbox = {
  record: ContainmentRecord;
  /** What contains, where something does. */
  available: AvailableSandbox | undefined;
  hasNetwork: boolean;
  /** Why its programs cannot be shown dependencies that are not in their folder, if they cannot. */
  layering: string | undefined;
  containWith: ((request: Request, network: SandboxNetwork | undefined) => Contain) | undefined;
};

async function sandboxOf(ctx: EngineContext, run: ActiveRun): Promise<Sandbox> {
  const { config } = run.ledger.state.start;
  const machine = await machineContainment(ctx.env);
  const { kind, record, network: access } = containmentOf(config, machine);
  const { sandbox } = machine;
  if (kind === 'none' || sandbox.kind === 'none')
    return { record, available: undefined, hasNetwork: false, layering: record.reason ?? '', containWith: undefined };
  const { privateBytes, ...limits } = resourcesOf(run);
  const processes = limitSupport().problem === undefined ? undefined : limits.processes;
  const seccomp = await seccompFile(ctx.home.root);
  const objects = join(run.project.mirror.dir, 'objects');
  const caches = packageCaches(ctx.env, ctx.env.HOME ?? homedir());
  const existing = caches.filter((path) => existsSync(path));
  const { program: bwrap } = sandbox;
  const hasOverlays = sandbox.backend === 'bubblewrap';
  const overlays = hasOverlays ? await overlayFolders(bwrap, existing, join(ctx.home.root, 'overlays')) : NO_OVERLAYS;
  const paths = { read: config.sandboxPaths.read.map(expand), write: config.sandboxPaths.write.map(expand) };
  return {
    record,
    available: sandbox,
    layering: hasOverlays
      ? await triedLayering(bwrap, overlays, dependencyFolders(ctx, run.ledger.state.start))
      : 'this sandbox has no overlays',
    hasNetwork: access !== 'shared',
    containWith: (request, network) => (program) => {
      const { read, write, copied, hidden: ofTask } = permissionsFor({ ...request(program.cwd), objects, paths });
      const hidden = [ctx.home.root, run.project.repository.root, ...ofTask];
      const layers = program.caches ?? cachesIn(program.cwd);
      const below = dependenciesIn(program.cwd);
      const cached = withLayers(overlays, caches, layers);
      const overlaid = below === undefined ? cached : withLayered(cached, below, !write.includes(below.path));
      const reachable = network === undefined ? undefined : { sharesLoopback: access === 'loopback', ...network };
      const common = { hidden, copied, overlaid, privateBytes, processes, seccomp, network: reachable };
      return sandboxCommand(sandbox, program, { read: [...read, OWN_PROGRAMS], write, ...common });
    },
  };
}

function expand(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
