import type { Parts } from '../engine/context.ts';
import { pinChoices } from '../engine/pin.ts';
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
  const options = { dir, agents: [...choices], rehearse: false };
  const { config, byRole } = pinChoices(parts, { config: await parts.config(root), options, root });
  const agents: AgentView[] = [];
  for (const agent of parts.agents({ config, project: { id: '', root } }).values()) {
    const { ok, detail, nextStep } = await agent.available();
    agents.push({ name: agent.name, kind: agent.kind, ok, detail, nextStep: nextStep ?? null });
  }
  return { config, byRole, agents, resting: restingAccounts(store), now: world.now() };
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
