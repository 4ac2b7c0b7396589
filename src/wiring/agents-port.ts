import { BUILT_IN } from '../agents/pin.ts';
import type { Parts } from '../engine/context.ts';
import { pinChoices } from '../engine/pin.ts';
import { AppError } from '../errors.ts';
import { inspectRepository } from '../git/repository.ts';
import type { AgentsView, AgentView } from '../operations/ports.ts';
import { AccountEvent } from '../schema/event.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';

/** The agents of a folder's settings as they stand now; asking spends nothing. */
export async function viewAgents(
  { parts, store, world }: { parts: Parts; store: Store; world: World },
  dir: string,
  choices: readonly string[],
): Promise<AgentsView> {
  const root = await inspectRepository(dir).then(
    (repository) => repository.root,
    () => dir,
  );
  const settings = await parts.config(root);
  const pin = (agents: readonly string[]) =>
    pinChoices(parts, { config: settings, options: { dir, agents: [...agents], rehearse: false }, root });
  const { config, byRole } = orKnown(
    () => pin(choices),
    () => pin(BUILT_IN),
  );
  const agents: AgentView[] = [];
  for (const agent of parts.agents({ config, project: { id: '', root } }).values()) {
    const { ok, detail, nextStep } = await agent.available();
    agents.push({ name: agent.name, kind: agent.kind, ok, detail, nextStep: nextStep ?? null });
  }
  return { config, byRole, agents, resting: restingAccounts(store), now: world.now() };
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

function restingAccounts(store: Store): Record<string, number> {
  const resting: Record<string, number> = {};
  for (const { stream } of store.streams('account/')) {
    for (const { type, data } of store.read(stream)) {
      const event = AccountEvent.safeParse({ type, data });
      if (event.success) resting[stream.slice('account/'.length)] = event.data.data.until;
    }
  }
  return resting;
}
