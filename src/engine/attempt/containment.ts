import { homedir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentCommand, Assignment } from '../../agents/agent.ts';
import { containmentOf, type MachineContainment } from '../../core/attempt/containment.ts';
import { type PermissionRequest, permissionsFor } from '../../core/attempt/permissions.ts';
import { type ResourceLimits, resourceLimitsFor } from '../../core/attempt/resources.ts';
import { limitSupport } from '../../process/limit-groups.ts';
import {
  bubblewrapCommand,
  type Contain,
  type SandboxAvailability,
  sandboxAvailability,
} from '../../process/sandbox/bubblewrap.ts';
import { seccompFile } from '../../process/sandbox/seccomp.ts';
import type { Config } from '../../schema/config.ts';
import type { ContainmentPart, ContainmentRecord } from '../../schema/containment.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** Programs of ours that agents call, beside the built program. */
const OWN_PROGRAMS = dirname(fileURLToPath(import.meta.url));

/** Refuses a run whose settings require a sandbox that this machine does not have. */
export async function requireSandbox({ env }: Pick<EngineContext, 'env'>, config: Config): Promise<void> {
  containmentOf(config, await machineContainment(env));
}

/** What this machine can restrict for the programs of tasks. */
export async function machineContainment(
  env: NodeJS.ProcessEnv,
): Promise<MachineContainment & { sandbox: SandboxAvailability }> {
  return {
    sandbox: await sandboxAvailability(env),
    network: { contained: false, how: 'programs use the network of this machine' },
    resources: resourcePart(),
  };
}

/** What the programs of a run may use of this machine. */
export function resourcesOf({ ledger }: ActiveRun): ResourceLimits {
  return resourceLimitsFor(ledger.state.start.config, { memoryBytes: totalmem() });
}

function resourcePart(): ContainmentPart {
  const { controllers, by, problem } = limitSupport();
  if (problem !== undefined) return { contained: false, how: `memory and processes are not limited: ${problem}` };
  const names = controllers.map((each) => ({ memory: 'memory', pids: 'processes', cpu: 'processors' })[each]);
  return { contained: true, how: `${names.join(', ')} by ${by}` };
}

/** How commands of the project (checks, set-up, applications) of a run are contained, and what they may use. */
export async function containCommands(
  ctx: EngineContext,
  run: ActiveRun,
  purpose: 'check' | 'setup' | 'application',
): Promise<{ contain: Contain | undefined; limits: ResourceLimits }> {
  const { contain } = (await sandboxOf(ctx, run))((cwd) => ({ purpose, workspace: cwd }));
  return { contain, limits: resourcesOf(run) };
}

/** The command of an attempt in its sandbox, and the record of how it is contained. */
export async function containAgent<C extends Pick<AgentCommand, 'command' | 'env' | 'login' | 'programs'>>(
  ctx: EngineContext,
  run: ActiveRun,
  { assignment, program }: { assignment: Assignment; program: C },
): Promise<{ program: C; record: ContainmentRecord }> {
  const { folder, workspace, shownFolders = [] } = assignment;
  const agent = { folder, login: [...(program.login ?? []), ...shownFolders] };
  const sandbox = (await sandboxOf(ctx, run))(() => ({ purpose: 'agent', workspace, agent }));
  if (sandbox.contain === undefined) return { program, record: sandbox.record };
  const { command: plain, env, programs = [] } = program;
  const command = sandbox.contain({ command: plain, cwd: workspace, env, programs });
  return { program: { ...program, command }, record: sandbox.record };
}

type Request = (cwd: string) => Omit<PermissionRequest, 'objects' | 'paths'>;
type Sandbox = { contain: Contain | undefined; record: ContainmentRecord };

async function sandboxOf(ctx: EngineContext, run: ActiveRun): Promise<(request: Request) => Sandbox> {
  const { config } = run.ledger.state.start;
  const machine = await machineContainment(ctx.env);
  const { kind, record } = containmentOf(config, machine);
  const { sandbox } = machine;
  if (kind === 'none' || sandbox.kind === 'none') return () => ({ contain: undefined, record });
  const { privateBytes } = resourcesOf(run);
  const seccomp = await seccompFile(ctx.home.root);
  const objects = join(run.project.mirror.dir, 'objects');
  const paths = { read: config.sandboxPaths.read.map(expand), write: config.sandboxPaths.write.map(expand) };
  return (request) => ({
    record,
    contain: (program) => {
      const { read, write, copied } = permissionsFor({ ...request(program.cwd), objects, paths });
      const shown = { read: [...read, OWN_PROGRAMS], write, hidden: [ctx.home.root], copied, privateBytes, seccomp };
      return bubblewrapCommand(sandbox.program, program, shown);
    },
  });
}

function expand(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
