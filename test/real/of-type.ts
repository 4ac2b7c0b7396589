import type { AgentEvent } from '../../src/agents/agent.ts';
import type { AgentRun } from './support.ts';

/** The events of one type, in order. */
export function ofType<Type extends AgentEvent['type']>(run: Pick<AgentRun, 'events'>, type: Type) {
  return run.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}
