import { accountsFor, discoverProfiles } from '../../agents/accounts/ccswitch.ts';
import type { Agent, AgentCapabilities } from '../../agents/agent.ts';
import { BUILT_IN } from '../../agents/agent-kinds.ts';
import type { App } from '../../app.ts';
import type { History } from '../../core/models/history.ts';
import { type Ranking, rankOpen } from '../../core/models/ranking.ts';
import type { RunState } from '../../core/run/state.ts';
import { leftOfCap, spentInRun, spentSince, startOfDay } from '../../core/schedule/budget.ts';
import { loadRateLimits } from '../../engine/loop/ledger.ts';
import { runsOfToday } from '../../engine/loop/scheduling-input.ts';
import { readHistory } from '../../engine/start/model-history.ts';
import { pinChoices } from '../../engine/start/pin-agents.ts';
import { AppError } from '../../errors.ts';
import { inspectRepository, projectId } from '../../git/read/repository.ts';
import type { AgentKind } from '../../schema/config/agent.ts';
import type { Config } from '../../schema/config.ts';
import { HOSTS_RELEASE, isReleaseAccepted } from '../../store/fleet.ts';

/** An agent and whether it is usable here now. */
export type AgentView = {
  name: string;
  kind: AgentKind;
  capabilities: AgentCapabilities;
  ok: boolean;
  detail: string;
  nextStep: string | null;
  /** With the sandbox: whether its login is inside, or its key is added by the network proxy and stays outside. */
  login: 'inside' | 'outside';
};

/** What is known about the agents of a project. */
export type AgentsView = {
  /** The settings with the agents pinned, as a run would record them. */
  config: Config;
  /** The folder that the settings belong to, and the project if it is one. */
  root: string;
  project: string | undefined;
  byRole: Record<string, string>;
  /** The roles that the choices name. */
  requestedRoles: string[];
  /** The learned order of the agents that the user did not order, by role. */
  ranking: Ranking;
  /** Verified results and benchmarks. */
  history: History;
  /** The profiles of CC Switch by agent, whether they are used, and what is wrong with its file. */
  ccswitch: {
    on: boolean;
    file: string;
    note: string | null;
    byAgent: Record<string, { name: string; account: string | null; detail: string | null }[]>;
  };
  agents: AgentView[];
  /** Accounts that are rate-limited, and until when. */
  rateLimits: Record<string, number>;
  /** US dollars that each agent has spent today over all runs. */
  spentToday: Record<string, number>;
  now: number;
};

/** The agents that the user selected, and whether this is a rehearsal, with which scenario. */
type Choices = { agents?: readonly string[]; rehearse?: boolean; scenario?: string | undefined };

/** The agents of a folder's settings and their current status; this costs nothing. */
export async function viewAgents(
  { implementations: load, store, world, env }: App,
  dir: string,
  { agents: chosen = [], rehearse = false, scenario }: Choices = {},
): Promise<AgentsView> {
  const { root, project } = await inspectRepository(dir).then(
    (repository) => ({ root: repository.root, project: projectId(repository) }),
    () => ({ root: dir, project: undefined }),
  );
  const implementations = await load();
  const settings = await implementations.config(root);
  const rehearsal = { rehearse, ...(scenario === undefined ? {} : { scenario }) };
  const pin = (agents: readonly string[]) =>
    pinChoices(implementations, { config: settings, options: { dir, agents: [...agents], ...rehearsal }, root });
  const pinned = orKnown(
    () => pin(chosen),
    () => pin(BUILT_IN),
  );
  const config = await implementations.withLogins(pinned.config);
  const now = world.now();
  const hasCap = Object.values(config.agents).some(
    ({ spendUsd, spendUsdPerDay }) => spendUsd !== undefined || spendUsdPerDay !== undefined,
  );
  const runs = hasCap ? runsOfToday(store, now, new Map()) : [];
  const spentToday = spentSince(runs, startOfDay(now));
  const openRuns = runs.filter(({ status, start }) => status.kind !== 'ended' && start.project.id === project);
  const onHosts = await hostsWithAgents(env, settings);
  const agents: AgentView[] = [];
  for (const agent of implementations.agents({ config, project: { id: '', root } }).values()) {
    const { ok, detail, nextStep } = onHosts?.(agent) ?? (await agent.available());
    const { name, kind, capabilities } = agent;
    const login = loginOf(agent, { ...env, ...config.agents[name]?.env });
    const left = leftOfCap(config.agents[name], { runUsd: 0, dayUsd: spentToday[name] ?? 0 });
    if (ok && left !== undefined && left.leftUsd <= 0) {
      const step = `Raise agents.${name}.spendUsdPerDay, or wait until tomorrow.`;
      const overCap = `over its spending cap (${left.spent})`;
      agents.push({ name, kind, capabilities, login, ok: false, detail: overCap, nextStep: step });
    } else {
      const shown = [detail, ...overCapIn(openRuns, name)].join('; ');
      agents.push({ name, kind, capabilities, login, ok, detail: shown, nextStep: nextStep ?? null });
    }
  }
  const history = readHistory({ store, world });
  return {
    config,
    root,
    project,
    byRole: pinned.byRole,
    requestedRoles: pinned.requestedRoles,
    ranking: rankOpen({ config, open: pinned.open, history, project }),
    history,
    ccswitch: await viewProfiles(config, settings, env),
    agents,
    rateLimits: loadRateLimits(store),
    spentToday,
    now,
  };
}

type OnHosts = (agent: Pick<Agent, 'name' | 'kind'>) => { ok: boolean; detail: string; nextStep?: string };

/** Which hosts have an agent, where hosts perform the attempts; undefined where this machine does. */
async function hostsWithAgents(env: NodeJS.ProcessEnv, { hosts }: Config): Promise<OnHosts | undefined> {
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url || hosts.git === undefined) return undefined;
  const { inspectHosts } = await import('../../store/postgres/hosts/inspect-hosts.ts');
  // Safe: a database that does not answer has a line of its own, and every command that needs it says so.
  const known = await inspectHosts(url).catch(() => []);
  const usable = known.filter((host) => host.expiresInMs > 0 && isReleaseAccepted(host.release, HOSTS_RELEASE));
  return ({ name, kind }) => {
    const having = usable.filter(({ agents }) => agents.includes(name) || agents.includes(kind));
    if (having.length > 0) return { ok: true, detail: `on ${having.map((host) => host.name).join(', ')}` };
    return {
      ok: false,
      detail: 'no host has it',
      nextStep: 'Install it on a host, log in there, and start the host again.',
    };
  };
}

function loginOf({ network }: Agent, env: NodeJS.ProcessEnv): AgentView['login'] {
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return (network?.keys(Object.fromEntries(set)) ?? []).length > 0 ? 'outside' : 'inside';
}

/** In which runs that have not ended an agent used up its cap for one run; other runs may use it. */
function overCapIn(runs: readonly RunState[], agent: string): string[] {
  return runs.flatMap((state) => {
    const cap = state.start.config.agents[agent]?.spendUsd;
    const left =
      cap === undefined ? undefined : leftOfCap({ spendUsd: cap }, { runUsd: spentInRun(state, agent), dayUsd: 0 });
    const isOver = left !== undefined && left.leftUsd <= 0;
    return isOver ? [`over its spending cap in run ${state.start.run} (${left.spent})`] : [];
  });
}

/** If no agent is configured or installed, the supported agents are shown with what is missing. */
function orKnown<T>(pin: () => T, known: () => T): T {
  try {
    return pin();
  } catch (error) {
    if (error instanceof AppError && error.code === 'AGENT_MISSING') return known();
    throw error;
  }
}

/** The profiles of CC Switch by agent, without the values of variables. */
async function viewProfiles(config: Config, settings: Config, env: NodeJS.ProcessEnv): Promise<AgentsView['ccswitch']> {
  const { file, profiles, note } = await discoverProfiles(settings, env);
  const byAgent = Object.entries(config.agents).map(([name, agent]) => {
    const own = { ...agent, accounts: settings.agents[name]?.accounts ?? {} };
    const accounts = accountsFor(own, profiles);
    const mine = profiles.filter(({ kind }) => kind === agent.kind);
    return [
      name,
      mine.map((profile) => ({
        name: profile.name,
        account: accounts.find(({ id }) => id === profile.id)?.account ?? null,
        detail: 'why' in profile ? profile.why : null,
      })),
    ];
  });
  return { file, note: note ?? null, on: settings.routing.ccswitch !== 'off', byAgent: Object.fromEntries(byAgent) };
}
