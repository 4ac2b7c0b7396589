import type { StartAttempt } from '../core/decide/attempt.ts';
import type { Intent } from '../core/next.ts';
import type { RunState, TaskState } from '../core/state.ts';
import { tierByRules } from '../core/tier.ts';
import type { TaskKey } from '../schema/ids.ts';
import type { Tier } from '../schema/task.ts';

/** The claim by which an attempt begins; none when the run or the task moved on since the loop looked. */
export function claimFor(
  state: RunState,
  intent: Extract<Intent, { do: 'attempt' }>,
  roleTier: Tier | undefined,
): StartAttempt | undefined {
  const task = state.tasks[intent.task];
  if (state.status.kind !== 'running' || task?.phase.status !== 'ready') return undefined;
  const last = task.attempts.at(-1);
  const { agent, account, because, reservation } = intent;
  const isSame = last?.agent === agent && last.account === (account ?? null);
  const session = task.resume && isSame ? last.session : undefined;
  const { tier, why } = tierOf(state, task, roleTier);
  return {
    task: intent.task,
    agent,
    because: why === undefined ? because : `${because}; ${tier} because ${why}`,
    reservation,
    base: task.from?.base ?? last?.base ?? baseOf(state, intent.task),
    ...(tier === undefined ? {} : { tier }),
    ...(account === undefined ? {} : { account }),
    ...(session == null ? {} : { session }),
  };
}

/** The tier that the task, the settings or the role name; else one by complexity, where some agent has models to choose from. */
function tierOf(
  { start }: RunState,
  task: TaskState,
  roleTier: Tier | undefined,
): { tier: Tier | undefined; why?: string } {
  const { config } = start;
  const said = task.spec.tier ?? config.roles[task.spec.role]?.tier ?? roleTier;
  const hasTiers = Object.values(config.agents).some(({ models }) => models.light ?? models.heavy);
  if (said !== undefined || !config.routing.tierByComplexity || !hasTiers) return { tier: said };
  const { tier, because } = tierByRules(task.spec.prompt, task.spec.needs.length);
  return { tier, why: because };
}

/** A resolver measures its work against the side that the conflict was laid out on; everybody else against the tip. */
function baseOf(state: RunState, key: TaskKey): string {
  const resolves = state.tasks[key]?.spec.resolves;
  const phase = resolves === undefined ? undefined : state.tasks[resolves]?.phase;
  return phase?.status === 'conflicted' ? phase.onto : state.tip.commit;
}
