import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Config } from '../../schema/config.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskSpec } from '../../schema/task.ts';
import type { Spend, UnknownUsage, Usage } from '../../schema/usage.ts';
import { hasUndeliveredMessage } from '../attempt/message.ts';
import type { AttemptState, RunState, TaskState } from '../run/state.ts';
import { moneyText } from '../view/amounts.ts';

export const NOTHING: Readonly<Spend> = { costUsd: 0, tokens: 0, turns: 0 };

/** Sums are kept to a millionth of a dollar, so that a fold of the same events is the same on every machine. */
const MICRO = 1_000_000;

export function addSpend(a: Spend, b: Spend): Spend {
  return { costUsd: roundMoney(a.costUsd + b.costUsd), tokens: a.tokens + b.tokens, turns: a.turns + b.turns };
}

export function subtractSpend(a: Spend, b: Spend): Spend {
  return {
    costUsd: Math.max(0, roundMoney(a.costUsd - b.costUsd)),
    tokens: Math.max(0, a.tokens - b.tokens),
    turns: Math.max(0, a.turns - b.turns),
  };
}

/** The charge for usage: unknown usage is charged at the reservation, or at what was reported of it if that is more. */
export function chargeOf(usage: Usage, reservation: Spend): Spend {
  switch (usage.kind) {
    case 'none':
      return { ...NOTHING };
    case 'unknown':
      return { ...reservation, costUsd: Math.max(reservation.costUsd, roundMoney(usage.reportedUsd ?? 0)) };
    case 'known':
      return {
        costUsd: roundMoney(usage.costUsd),
        tokens: usage.inputTokens + usage.outputTokens,
        turns: usage.turns,
      };
  }
}

/** Unknown usage of which this was reported before. */
export function unknownUsage(...reported: readonly Usage[]): Usage {
  const amounts = reported.map((usage) =>
    usage.kind === 'known' ? usage.costUsd : usage.kind === 'unknown' ? (usage.reportedUsd ?? 0) : 0,
  );
  const reportedUsd = Math.max(0, ...amounts);
  return reportedUsd === 0 ? { kind: 'unknown' } : { kind: 'unknown', reportedUsd };
}

/** Counts usage that is not known, or takes it back; changes the state in place. */
export function countUnknown(
  state: { unknownUsage?: UnknownUsage | undefined },
  usage: Usage,
  reservation: Spend,
  by = 1,
): void {
  if (usage.kind !== 'unknown') return;
  const { attempts, uncharged } = state.unknownUsage ?? { attempts: 0, uncharged: 0 };
  const counted = { attempts: attempts + by, uncharged: uncharged + (reservation.costUsd === 0 ? by : 0) };
  if (counted.attempts > 0) state.unknownUsage = counted;
  else delete state.unknownUsage;
}

/** What counts against the spending caps of an agent: without a budget nothing is reserved, and unknown usage counts as an attempt that is. */
export function capCharge(
  { agents, budget }: Pick<Config, 'agents' | 'budget'>,
  { agent, usage, reservation }: Pick<AttemptState, 'agent' | 'usage' | 'reservation'>,
): number {
  const { spendUsd, spendUsdPerDay } = agents[agent] ?? {};
  const isCapped = spendUsd !== undefined || spendUsdPerDay !== undefined;
  const isUncharged = usage.kind === 'unknown' && reservation.costUsd === 0;
  return chargeOf(usage, isUncharged && isCapped ? { ...reservation, costUsd: budget.attempt } : reservation).costUsd;
}

/** What the next attempt of a task reserves: after a message to a running attempt, what is left of that attempt's reservation. */
export function nextReservation(state: RunState, task: TaskState): Spend {
  const reservation = reservationFor(state, task.spec);
  const last = task.attempts.at(-1);
  if (last?.ended == null || last.ended.failure?.kind !== 'interrupted' || !hasUndeliveredMessage(task))
    return reservation;
  return continuedReservation(reservation, last);
}

/** What is left of an attempt's reservation for the attempt that continues it; a new reservation if nothing is left. */
export function continuedReservation(
  reservation: Spend,
  { reservation: first, usage }: Pick<AttemptState, 'reservation' | 'usage'>,
): Spend {
  const left = subtractSpend(first, chargeOf(usage, first));
  return first.costUsd === 0 || left.costUsd === 0 ? reservation : { ...reservation, costUsd: left.costUsd };
}

/** The reservation of an attempt of this task while it runs; nothing without a budget. */
export function reservationFor(state: RunState, spec: TaskSpec): Spend {
  const { run, project, attempt } = state.start.config.budget;
  if (run === undefined && project === undefined) return { ...NOTHING };
  const costUsd = spec.limits.costUsd ?? attempt;
  return { costUsd: Math.min(costUsd, run ?? costUsd, project ?? costUsd), tokens: 0, turns: 0 };
}

export type Affordability = 'yes' | 'later' | 'never';

/** The spent amount, and the amount reserved by attempts that run or are about to start. */
export type Money = { spentUsd: number; reservedUsd: number };

/** What counts against the budget of a run: its own attempts and calls, and its sub-runs, which reserve their share until they have ended. */
export function runMoney({ spent, reserved, subRuns = [] }: RunState): Money {
  let [spentUsd, reservedUsd] = [spent.costUsd, reserved.costUsd];
  for (const { ended, budgetUsd = 0 } of subRuns) {
    if (ended === null) reservedUsd += budgetUsd;
    else spentUsd += ended.costUsd;
  }
  return { spentUsd: roundMoney(spentUsd), reservedUsd: roundMoney(reservedUsd) };
}

/** Whether a reservation fits both budgets: `later` when running attempts may still release some, `never` when they cannot. */
export function affordable(
  budget: Config['budget'],
  reservation: Spend,
  money: { run: Money; project: Money },
): Affordability {
  const inRun = fits(reservation.costUsd, budget.run, money.run);
  const inProject = fits(reservation.costUsd, budget.project, money.project);
  if (inRun === 'never' || inProject === 'never') return 'never';
  return inRun === 'later' || inProject === 'later' ? 'later' : 'yes';
}

/** Whether an amount fits a cap, where there is one. */
export function fits(costUsd: number, cap: number | undefined, { spentUsd, reservedUsd }: Money): Affordability {
  if (cap === undefined) return 'yes';
  if (roundMoney(spentUsd + costUsd) > cap || spentUsd >= cap) return 'never';
  return roundMoney(spentUsd + reservedUsd + costUsd) > cap ? 'later' : 'yes';
}

/** What an agent has spent in one run, and today over all runs; attempts that run are included as far as they reported. */
export type AgentSpending = { runUsd: number; dayUsd: number };

/** What is left of an agent's spending caps, the narrower one; undefined without a cap. */
export function leftOfCap(
  agent: Pick<AgentConfig, 'spendUsd' | 'spendUsdPerDay'> | undefined,
  { runUsd, dayUsd }: AgentSpending,
): { leftUsd: number; spent: string } | undefined {
  const { spendUsd, spendUsdPerDay } = agent ?? {};
  const caps = [
    ...(spendUsd === undefined ? [] : [{ cap: spendUsd, spentUsd: runUsd, where: 'in this run' }]),
    ...(spendUsdPerDay === undefined ? [] : [{ cap: spendUsdPerDay, spentUsd: dayUsd, where: 'today' }]),
  ].map(({ cap, spentUsd, where }) => ({
    leftUsd: roundMoney(cap - spentUsd),
    spent: `${moneyText(spentUsd)} of ${moneyText(cap)} ${where}`,
  }));
  return caps.sort((a, b) => a.leftUsd - b.leftUsd)[0];
}

/** What each agent has spent in these runs since a time, with what running attempts reported so far. */
export function spentSince(states: Iterable<RunState>, since: number): Record<string, number> {
  const spent: Record<string, number> = {};
  const add = (agent: string, amount: number) => {
    spent[agent] = roundMoney((spent[agent] ?? 0) + amount);
  };
  for (const state of states) {
    for (const { attempts } of Object.values(state.tasks)) {
      for (const attempt of attempts) {
        const { agent, usage, ended } = attempt;
        if (ended === null) add(agent, usage.kind === 'known' ? usage.costUsd : 0);
        else if (ended.at >= since) add(agent, capCharge(state.start.config, attempt));
      }
    }
    for (const { ended } of Object.values(state.calls)) {
      if (ended === null || ended.at < since) continue;
      for (const { by, usage, reservation } of ended.tries) add(by, chargeOf(usage, reservation).costUsd);
    }
  }
  return spent;
}

/** What an agent has spent in a run, with what its running attempts reported so far, except one. */
export function spentInRun(state: RunState, agent: string, except?: TaskKey): number {
  const running = Object.keys(state.running).reduce((sum, key) => {
    const attempt = key === except ? undefined : state.tasks[key]?.attempts.at(-1);
    return attempt?.agent === agent && attempt.usage.kind === 'known' ? sum + attempt.usage.costUsd : sum;
  }, 0);
  return roundMoney((state.spentBy[agent] ?? 0) + running);
}

/** The beginning of the local day, for which daily caps count: the same days as in `usage`. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** The end of the local day. */
export function endOfDay(now: number): number {
  return new Date(now).setHours(24, 0, 0, 0);
}

/** An amount to a millionth of a dollar. */
export function roundMoney(amount: number): number {
  return Math.round(amount * MICRO) / MICRO;
}

/** Why a reservation does not fit the budget. */
export function shortOfMoney(
  reservation: Spend,
  budget: Config['budget'],
  money: { run: Money; project: Money },
): string {
  const inRun = (budget.run ?? Number.POSITIVE_INFINITY) - money.run.spentUsd;
  const inProject = (budget.project ?? Number.POSITIVE_INFINITY) - money.project.spentUsd;
  const left = Math.max(0, Math.min(inRun, inProject));
  return `an attempt reserves ${moneyText(reservation.costUsd)} and the budget has ${moneyText(left)} left`;
}
