import type { Failure, FollowUp } from '../../schema/failure.ts';
import { isCrash } from '../retry.ts';
import { CRASHES_IN_A_ROW, candidatesFor } from '../route.ts';
import type { RunState, TaskState } from '../state.ts';

/** After an agent fell over too often in a row another one takes the task, where there is one; that is not the task's fault and counts nothing. */
export function alternate(state: RunState, task: TaskState, failure: Failure): FollowUp | undefined {
  const agent = task.attempts.at(-1)?.agent;
  if (agent === undefined || !isCrash(failure.kind)) return undefined;
  const times = (state.crashes[agent] ?? 0) + 1;
  if (times < CRASHES_IN_A_ROW) return undefined;
  const { config, agents, ranking, unable } = state.start;
  const crashes = { ...state.crashes, [agent]: times };
  const [next] = candidatesFor({
    config,
    agents,
    ranking,
    unable,
    crashes,
    role: task.spec.role,
    agent: task.spec.agent,
  });
  if (next === undefined || next === agent || Object.hasOwn(unable ?? {}, next)) return undefined;
  return { action: 'switch', restUntil: 0, reason: `${agent} fell over ${times} times in a row` };
}
