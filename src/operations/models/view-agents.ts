import { accountsFor, discoverProfiles } from '../../agents/accounts/ccswitch.ts';
import { BUILT_IN } from '../../agents/pin-agents.ts';
import type { AgentsView, AgentView, RehearsalChoice } from '../../app/port-interfaces.ts';
import { rankOpen } from '../../core/models/ranking.ts';
import { rateLimitName } from '../../core/schedule/account.ts';
import type { Implementations } from '../../engine/loop/context.ts';
import { readHistory } from '../../engine/start/model-history.ts';
import { pinChoices } from '../../engine/start/pin-agents.ts';
import { AppError } from '../../errors.ts';
import { inspectRepository, projectId } from '../../git/read/repository.ts';
import type { Config } from '../../schema/config.ts';
import { AccountEvent } from '../../schema/event.ts';
import type { Store } from '../../store/store.ts';
import type { World } from '../../world.ts';

/** The agents of a folder's settings as they stand now; asking spends nothing. */
export async function viewAgents(
  { parts, store, world, env }: { parts: Implementations; store: Store; world: World; env: NodeJS.ProcessEnv },
  dir: string,
  choices: { agents: readonly string[] } & RehearsalChoice,
): Promise<AgentsView> {
  const { root, project } = await inspectRepository(dir).then(
    (repository) => ({ root: repository.root, project: projectId(repository) }),
    () => ({ root: dir, project: undefined }),
  );
  const settings = await parts.config(root);
  const { rehearse, scenario } = choices;
  const rehearsal = { rehearse, ...(scenario === undefined ? {} : { scenario }) };
  const pin = (agents: readonly string[]) =>
    pinChoices(parts, { config: settings, options: { dir, agents: [...agents], ...rehearsal }, root });
  const pinned = orKnown(
    () => pin(choices.agents),
    () => pin(BUILT_IN),
  );
  const config = await parts.withLogins(pinned.config);
  const agents: AgentView[] = [];
  for (const agent of parts.agents({ config, project: { id: '', root } }).values()) {
    const { ok, detail, nextStep } = await agent.available();
    const { name, kind, capabilities } = agent;
    agents.push({ name, kind, capabilities, ok, detail, nextStep: nextStep ?? null });
  }
  const history = readHistory(store);
  return {
    config,
    root,
    project,
    byRole: pinned.byRole,
    ranking: rankOpen({ config, open: pinned.open, history, project }),
    history,
    ccswitch: await viewProfiles(config, settings, env),
    agents,
    resting: restingAccounts(store),
    now: world.now(),
  };
}

/** Where nothing is configured and nothing is installed, the agents that could be are shown with what they lack. */
function orKnown<T>(pin: () => T, known: () => T): T {
  try {
    return pin();
  } catch (error) {
    if (error instanceof AppError && error.code === 'AGENT_MISSING') return known();
    throw error;
  }
}

/** What CC Switch keeps, by agent; no value of any variable is in it. */
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

function restingAccounts(store: Store): Record<string, number> {
  const resting: Record<string, number> = {};
  for (const { stream } of store.streams('account/')) {
    for (const { type, data } of store.read(stream)) {
      const event = AccountEvent.safeParse({ type, data });
      if (!event.success) continue;
      const name = rateLimitName(stream.slice('account/'.length), event.data.data.family);
      resting[name] = Math.max(resting[name] ?? 0, event.data.data.until);
    }
  }
  return resting;
}
