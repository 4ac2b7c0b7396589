import type { Config } from '../../schema/config.ts';
import type { TaskSpec } from '../../schema/task.ts';
import type { Spend, Usage } from '../../schema/usage.ts';
import type { RunState } from '../run/state.ts';

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

/** The charge for usage: unknown usage is charged at the reservation, never at zero. */
export function chargeOf(usage: Usage, reservation: Spend): Spend {
  switch (usage.kind) {
    case 'none':
      return { ...NOTHING };
    case 'unknown':
      return { ...reservation };
    case 'known':
      return {
        costUsd: roundMoney(usage.costUsd),
        tokens: usage.inputTokens + usage.outputTokens,
        turns: usage.turns,
      };
  }
}

/** The reservation of an attempt of this task while it runs; nothing without a budget. */
export function reservationFor(state: RunState, spec: TaskSpec): Spend {
  const { run, project, attempt } = state.start.config.budget;
  if (run === undefined && project === undefined) return { ...NOTHING };
  const costUsd = spec.limits.costUsd ?? attempt;
  return { costUsd: Math.min(costUsd, run ?? costUsd, project ?? costUsd), tokens: 0, turns: 0 };
}

export type Affordable = 'yes' | 'later' | 'never';

/** The spent amount, and the amount reserved by attempts that run or are about to start. */
export type Money = { spentUsd: number; reservedUsd: number };

/** Whether a reservation fits both budgets: `later` when running attempts may still release some, `never` when they cannot. */
export function affordable(
  budget: Config['budget'],
  reservation: Spend,
  money: { run: Money; project: Money },
): Affordable {
  const inRun = fits(reservation.costUsd, budget.run, money.run);
  const inProject = fits(reservation.costUsd, budget.project, money.project);
  if (inRun === 'never' || inProject === 'never') return 'never';
  return inRun === 'later' || inProject === 'later' ? 'later' : 'yes';
}

function fits(costUsd: number, cap: number | undefined, { spentUsd, reservedUsd }: Money): Affordable {
  if (cap === undefined) return 'yes';
  if (roundMoney(spentUsd + costUsd) > cap || spentUsd >= cap) return 'never';
  return roundMoney(spentUsd + reservedUsd + costUsd) > cap ? 'later' : 'yes';
}

/** An amount to a millionth of a dollar. */
export function roundMoney(amount: number): number {
  return Math.round(amount * MICRO) / MICRO;
}
