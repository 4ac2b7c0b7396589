import { type StartAttempt, startAttempt } from '../../core/attempt/decide-attempt.ts';
import { hasUndeliveredMessage } from '../../core/attempt/message.ts';
import { callId } from '../../core/models/fold-call.ts';
import { openTier, tierByRules } from '../../core/models/tier.ts';
import { mayStartFromBase, moveToBase } from '../../core/run/decide-start.ts';
import { taskOf } from '../../core/run/phase.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import type { Intent } from '../../core/schedule/schedule-next.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import { promptText } from '../../roles/prompt.ts';
import { TierAnswer } from '../../schema/call.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { Tier } from '../../schema/task.ts';
import { crashpoint } from '../../world.ts';
import { executorOf } from '../hosts/executor.ts';
import { runRef } from '../land/land-tasks.ts';
import { mirrorProgress } from '../loop/activities.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { holdOnError } from '../loop/hold-on-error.ts';
import { smallCall } from '../small-calls/small-call.ts';

/** Claims a task and performs the attempt; nothing starts when the run, the task or the engine changed in the meantime. */
export async function beginAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  intent: Extract<Intent, { do: 'attempt' }>,
): Promise<void> {
  await holdOnError(ctx, run, beforeAttempt(ctx, run, intent.task));
  const role = taskOf(run.ledger.state, intent.task).spec.role;
  const { host } = intent;
  const orderOf = host === undefined ? undefined : await ctx.hosts?.prepareOrder(ctx, run, { task: intent.task, host });
  const claim = claimFor(run.ledger.state, intent, run.roles.get(role)?.tier);
  const order = claim && orderOf?.(claim);
  // A host may have been lost, or its git remote may not answer: the task is scheduled again.
  if (claim === undefined || ctx.stopping.aborted || (host !== undefined && order === undefined)) return;
  const on = host === undefined ? {} : { host };
  await ctx.submit(run, (state) => startAttempt(state, { ...claim, ...on }), { order }).committed;
  const task = taskOf(run.ledger.state, intent.task);
  await executorOf(ctx, task).perform(ctx, run, task);
}

/** What is decided before an attempt is claimed: the commit that it starts from, and the tier of its model. */
async function beforeAttempt(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  await startFromCurrentBase(ctx, run, key);
  await adviseTier(ctx, run, key);
}

/** Asks which tier a task needs, where the tier is chosen by complexity; the claim reads the answer from the record. */
async function adviseTier(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const { state } = run.ledger;
  const task = state.tasks[key];
  if (task === undefined || !mayChooseTier(state, task, run.roles.get(task.spec.role)?.tier)) return;
  const { prompt, needs, title } = task.spec;
  await smallCall(ctx, run, {
    kind: 'tier',
    about: key,
    input: promptText('roles/small-calls/task-difficulty', { title, task: prompt, needs: String(needs.length) }),
    schema: TierAnswer,
    rules: () => tierByRules(prompt, needs.length),
  });
}

/**
 * A task that waited for a time or for other runs starts from the current base, not from the base at the time of the request.
 * Where the base conflicts with the run branch, it starts from the run branch, and the landing reports the conflict.
 */
export async function startFromCurrentBase(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const { branch } = run.ledger.state.start.base;
  if (branch === null || !mayStartFromBase(run.ledger.state, key)) return;
  const { mirror, repository } = run.project;
  using step = ctx.activities.begin({ run, tasks: [key] }, { kind: 'mirror', what: 'updates the private mirror' });
  await refreshMirror(mirror, repository, undefined, mirrorProgress(step));
  const base = await readRef(mirror, `refs/user/heads/${branch}`);
  const { start, tip } = run.ledger.state;
  if (base === undefined || base === start.base.commit || base === tip.commit) return;
  const message = `Merge ${branch} into mh/${run.id}\n\nManyhands-Run: ${run.id}\n`;
  const merged = await mergeCommits({ mirror, onto: tip.commit, theirs: base, message, now: ctx.world.now() });
  if (merged.kind !== 'merged' || merged.commit === tip.commit) return;
  const { commit, tree } = merged;
  const ref = runRef(run.id);
  crashpoint('run.catching-up');
  await writeRef(mirror, { ref, to: commit, expected: (await readRef(mirror, ref)) ?? null });
  await ctx.submit(run, (state) => moveToBase(state, { task: key, tip: tip.commit, base, commit, tree })).committed;
  crashpoint('run.caught-up');
}

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
  // A session is a file of the machine that had it.
  const isSameMachine = last?.host === intent.host;
  const session =
    task.resume && isSameLogin ? (isSameMachine ? last.session : null) : continuedSession(state, task, intent);
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
  { agent, account, host }: Pick<Extract<Intent, { do: 'attempt' }>, 'agent' | 'account' | 'host'>,
): string | null | undefined {
  if (attempts.length > 0) return undefined;
  const { session } = spec;
  if (session?.agent === agent && session.account === (account ?? null)) return session.id;
  if (spec.continues === undefined) return undefined;
  const last = state.tasks[spec.continues]?.attempts.at(-1);
  const isSame = last?.agent === agent && last.account === (account ?? null) && last.host === host;
  return isSame ? last.session : undefined;
}

/** The tier of the task, the settings or the role; else one by complexity, where an agent has models for it. */
function tierOf(
  state: RunState,
  task: TaskState,
  roleTier: Tier | undefined,
): { tier: Tier | undefined; why?: string } {
  const chosen = plainTierOf(state, task, roleTier);
  if (task.spec.escalates !== true || task.counted === 0) return chosen;
  const tiers = Tier.options;
  const heavier = tiers[Math.min(tiers.length - 1, tiers.indexOf(chosen.tier ?? 'standard') + task.counted)];
  return heavier === undefined || heavier === chosen.tier
    ? chosen
    : { tier: heavier, why: `${task.counted} attempts failed` };
}

function plainTierOf(
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
function mayChooseTier({ start }: RunState, task: TaskState, roleTier: Tier | undefined): boolean {
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
