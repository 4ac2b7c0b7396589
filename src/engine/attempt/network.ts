import type { Agent, AgentCommand, AgentKey, Assignment } from '../../agents/agent.ts';
import { loopbackPorts, type NetworkAccess, networkFor } from '../../core/attempt/network.ts';
import type { Purpose } from '../../core/attempt/permissions.ts';
import type { RuleList } from '../../core/policy/decide-policy.ts';
import { configuredLists } from '../../core/policy/rule-lists.ts';
import { forgeHosts, REGISTRY_FILES, REGISTRY_PATHS, registriesIn } from '../../core/project/registries.ts';
import { git } from '../../git/git.ts';
import { showFile } from '../../git/read/diff.ts';
import { readTopTexts } from '../../git/read/top-files.ts';
import { routeAddress } from '../../process/network/bridge.ts';
import type { SessionUse } from '../../process/network/proxy-client.ts';
import type { KeyRoute, SessionPolicy } from '../../process/network/session-rules.ts';
import type { SandboxNetwork } from '../../process/sandbox/sandbox.ts';
import type { CommandNetworkUse, NetworkUse } from '../../schema/containment.ts';
import { attemptId } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** The commands of a project that may have hosts to reach. */
const COMMANDS = ['setup', 'check', 'application'] as const;

type ProgramStart = Pick<AgentCommand, 'command' | 'env'>;

/** The network of an agent's sandbox, its program with placeholders in place of keys, and the variables of those keys. */
export type AgentNetworkStart<C> = { network: SandboxNetwork | undefined; program: C; keys: string[] };

/** Opens the network of an attempt: a session of the proxy with what its agent may reach. */
export async function openAgentNetwork<C extends ProgramStart>(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, assignment, program }: { agent: Agent; assignment: Assignment; program: C },
): Promise<AgentNetworkStart<C>> {
  const access = await agentAccess(ctx, run, { agent, assignment, env: program.env });
  if (access.kind === 'shared') return { network: undefined, program, keys: [] };
  const replaced = withoutKeys(
    program,
    assignment.interactive === true ? [] : (agent.network?.keys(program.env) ?? []),
  );
  const policy = attemptPolicy(assignment);
  const network = await openSession(ctx, { id: assignment.attempt, access, routes: replaced.routes, policy });
  return { network, program: { ...program, ...replaced.program }, keys: replaced.keys };
}

/** The network of the project's commands; one session serves all of a run with the same purpose. */
export async function openCommandNetwork(
  ctx: EngineContext,
  run: ActiveRun,
  purpose: Exclude<Purpose, 'agent'>,
): Promise<SandboxNetwork | undefined> {
  const { network } = run.ledger.state.start.config;
  const project = purpose === 'setup' ? await projectHosts(run) : [];
  const access = networkFor({ purpose, network, project });
  if (access.kind === 'shared') return undefined;
  const { person, project: theirs } = configuredLists(run.ledger.state.start.config.policy);
  const policy = sessionPolicy(purpose, [theirs, person]);
  return openSession(ctx, { id: sessionOf(run, purpose), access, routes: [], policy });
}

/** Continues the session of an attempt that an earlier engine started, where the proxy has ended since. */
export async function adoptAgentNetwork(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, assignment }: { agent: Agent; assignment: Assignment },
): Promise<void> {
  if (!ctx.network.isOpen(assignment.attempt)) return;
  const configured = run.config.agents[agent.name]?.env ?? {};
  const env = { ...assignment.env, ...configured, ...assignment.settings.account?.env };
  const access = await agentAccess(ctx, run, { agent, assignment, env });
  if (access.kind === 'shared') return;
  const keys = assignment.interactive === true ? [] : (agent.network?.keys(env) ?? []);
  const { routes } = withoutKeys({ command: [], env }, keys);
  await openSession(ctx, { id: assignment.attempt, access, routes, policy: attemptPolicy(assignment) });
}

/** Ends the network of an attempt, and gives what it has requested; undefined where it had none of its own. */
export async function endAgentNetwork(ctx: EngineContext, id: string): Promise<NetworkUse | undefined> {
  if (!ctx.network.isOpen(id)) return undefined;
  // Its counts are lost where the proxy cannot be reached; the result of the attempt is not.
  const use = await ctx.network.close(id).catch(() => undefined);
  return use === undefined ? undefined : recorded(use);
}

/** Ends the sessions of a run's own commands, and gives what they have requested; after a crash once more, until it is forgotten. */
export async function closeRunNetwork(
  ctx: Pick<EngineContext, 'network'>,
  run: ActiveRun,
): Promise<CommandNetworkUse[]> {
  const uses: CommandNetworkUse[] = [];
  for (const purpose of COMMANDS) {
    const id = sessionOf(run, purpose);
    if (!ctx.network.isOpen(id)) continue;
    // A proxy that cannot be reached has ended, and with it the session.
    const use = await ctx.network.close(id, { isKept: true }).catch(() => undefined);
    if (use !== undefined) uses.push({ purpose, ...recorded(use) });
  }
  return uses;
}

/** Removes what is kept of the sessions of a run's own commands, once it is recorded. */
export async function forgetRunNetwork(ctx: Pick<EngineContext, 'network'>, run: ActiveRun): Promise<void> {
  for (const purpose of COMMANDS) await ctx.network.forget(sessionOf(run, purpose));
}

function recorded({ hosts, interruptions }: SessionUse): NetworkUse {
  return { hosts, ...(interruptions === 0 ? {} : { interruptions }) };
}

function sessionOf({ id }: ActiveRun, purpose: Exclude<Purpose, 'agent'>): string {
  return attemptId(id, 0, 1 + COMMANDS.indexOf(purpose));
}

async function agentAccess(
  ctx: EngineContext,
  run: ActiveRun,
  { agent, assignment, env }: { agent: Agent; assignment: Assignment; env: Record<string, string> },
): Promise<NetworkAccess> {
  // What the person's own environment contains, the person has named; settings are judged by the file they are in.
  const variables = Object.entries(env).flatMap(([name, value]) => (ctx.env[name] === value ? [value] : []));
  return networkFor({
    purpose: 'agent',
    network: run.ledger.state.start.config.network,
    project: await projectHosts(run),
    agent: { vendor: agent.network?.hosts(env) ?? [], variables, applicationPort: assignment.applicationPort },
  });
}

function attemptPolicy({ policy }: Assignment): SessionPolicy | undefined {
  return policy === undefined ? undefined : sessionPolicy(policy.role, [policy.project, policy.person], policy.granted);
}

/** The rules as they are sent to the proxy; undefined where there are none. */
function sessionPolicy(
  role: string,
  lists: readonly RuleList[],
  granted: readonly string[] = [],
): SessionPolicy | undefined {
  return lists.every((rules) => rules.length === 0) ? undefined : { role, lists, granted };
}

async function openSession(
  ctx: EngineContext,
  session: {
    id: string;
    access: Extract<NetworkAccess, { kind: 'own' }>;
    routes: KeyRoute[];
    policy: SessionPolicy | undefined;
  },
): Promise<SandboxNetwork> {
  const { id, access, routes, policy } = session;
  if (access.hosts.length === 0 && routes.length === 0) return {};
  const proxy = await ctx.network.open({
    id,
    allow: access.hosts,
    routes,
    ...(policy === undefined ? {} : { policy }),
  });
  return { proxy, ports: loopbackPorts(access) };
}

/** The program with placeholders, and the routes on which the proxy replaces them; keys for the same address share a route. */
function withoutKeys(
  { command, env }: ProgramStart,
  keys: readonly AgentKey[],
): { program: ProgramStart; routes: KeyRoute[]; keys: string[] } {
  const routes = new Map<string, KeyRoute>();
  const replaced: string[] = [];
  let program: ProgramStart = { command, env };
  for (const { name, secret, upstream, replace } of keys) {
    if (upstream === '') continue;
    const route = routes.get(upstream) ?? { name: `key${routes.size + 1}`, upstream, keys: [] };
    const placeholder = `mh-placeholder-${route.name}-${route.keys.length + 1}`;
    const next = replace(program, { placeholder, baseUrl: routeAddress(route.name) });
    if (JSON.stringify(next) === JSON.stringify(program)) continue;
    program = next;
    route.keys.push({ placeholder, secret });
    routes.set(upstream, route);
    replaced.push(name);
  }
  return { program, routes: [...routes.values()], keys: replaced };
}

/** What the project's files at its base name; files that an agent changes during the run do not count. */
export function projectHosts(run: ActiveRun): Promise<string[]> {
  run.projectHosts ??= readProjectHosts(run).catch((error: unknown) => {
    run.projectHosts = undefined;
    throw error;
  });
  return run.projectHosts;
}

async function readProjectHosts({ project, ledger }: ActiveRun): Promise<string[]> {
  const { commit } = ledger.state.start.base;
  const files = await readTopTexts(project.mirror, commit, REGISTRY_FILES);
  for (const path of REGISTRY_PATHS) {
    const text = await showFile(project.mirror, commit, path);
    if (text !== undefined) files.set(path, text);
  }
  const remotes = ['config', '--get-regexp', '^remote\\..*\\.url$'];
  const { stdout } = await git(remotes, { cwd: project.repository.root, asUser: true, allow: [0, 1] });
  return [...new Set([...registriesIn(files), ...stdout.split('\n').flatMap(forgeHosts)])];
}
