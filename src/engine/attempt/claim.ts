import type { StartAttempt } from '../../core/attempt/decide-attempt.ts';
import { hasUndeliveredMessage } from '../../core/attempt/message.ts';
import { callId } from '../../core/models/fold-call.ts';
import { openTier, tierByRules } from '../../core/models/tier.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import type { Intent } from '../../core/schedule/schedule-next.ts';
import { TierAnswer } from '../../schema/call.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Tier } from '../../schema/task.ts';

/** The claim that starts an attempt; none when the run or the task changed since it was scheduled. */
export function claimFor(
  state: RunState,
  intent: Extract<Intent, { do: 'attempt' }>,
  roleTier: Tier | undefined,
): StartAttempt | undefined {
  const task = state.tasks[intent.task];
  if (state.status.kind !== 'running' || task?.phase.status !== 'ready') return undefined;
  const last = task.attempts.at(-1);
  const { agent, account, because, reservation, closed = [] } = intent;
  const isSameLogin = last?.agent === agent && last.account === (account ?? null);
  const session = task.resume && isSameLogin ? last.session : continuedSession(state, task, { agent, account });
  const { tier: requestedTier, why } =
    isSameLogin && hasUndeliveredMessage(task) ? { tier: last.tier ?? undefined } : tierOf(state, task, roleTier);
  const tier = openTier(state.start.config.agents[agent], requestedTier, closed);
  return {
    task: intent.task,
    agent,
    because: [
      because,
      ...(why === undefined ? [] : [`${requestedTier} because ${why}`]),
      ...(tier === requestedTier ? [] : [`${tier} because ${closed.join(', ')} is rate-limited`]),
    ].join('; '),
    reservation,
    base: task.from?.base ?? last?.base ?? baseOf(state, intent.task),
    ...(tier === undefined ? {} : { tier }),
    ...(account === undefined ? {} : { account }),
    ...(session == null ? {} : { session }),
  };
}

/** The session of the task that this one continues, for its first attempt by the same agent and account. */
function continuedSession(
  state: RunState,
  { spec, attempts }: TaskState,
  { agent, account }: { agent: string; account: string | undefined },
): string | null | undefined {
  if (spec.continues === undefined || attempts.length > 0) return undefined;
  const last = state.tasks[spec.continues]?.attempts.at(-1);
  return last?.agent === agent && last.account === (account ?? null) ? last.session : undefined;
}

/** The tier of the task, the settings or the role; else one by complexity, where an agent has models for it. */
function tierOf(
  state: RunState,
  task: TaskState,
  roleTier: Tier | undefined,
): { tier: Tier | undefined; why?: string } {
  if (!mayChooseTier(state, task, roleTier))
    return { tier: task.spec.tier ?? state.start.config.roles[task.spec.role]?.tier ?? roleTier };
  const advice = TierAnswer.safeParse(state.calls[callId('tier', task.spec.key)]?.ended?.answer);
  const { tier, because } = advice.data ?? tierByRules(task.spec.prompt, task.spec.needs.length);
  return { tier, why: because };
}

/** Whether a tier is chosen by complexity: none is named, the settings enable it, and an agent has models for it. */
export function mayChooseTier({ start }: RunState, task: TaskState, roleTier: Tier | undefined): boolean {
  const { config } = start;
  const named = task.spec.tier ?? config.roles[task.spec.role]?.tier ?? roleTier;
  const hasTiers = Object.values(config.agents).some(({ models }) => models.light ?? models.heavy);
  return named === undefined && config.routing.tierByComplexity && hasTiers;
}

/** The base of a resolver is the side onto which the conflict is checked out; that of other tasks is the tip. */
function baseOf(state: RunState, key: TaskKey): string {
  const resolves = state.tasks[key]?.spec.resolves;
  const phase = resolves === undefined ? undefined : state.tasks[resolves]?.phase;
  return phase?.status === 'conflicted' ? phase.onto : state.tip.commit;
}
