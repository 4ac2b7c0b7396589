import type { UnknownUsage, UsageRow } from '../../schema/usage.ts';
import type { RunState } from '../run/state.ts';
import { moneyText } from './amounts.ts';

/** A cost of which part may not be known. */
type Cost = { cost: number; unknownUsage?: UnknownUsage | undefined };

/** A cost in one word: `≤` where reservations stand for unknown usage, `≥` or `unknown` where nothing was reserved for it. */
export function costText({ cost, unknownUsage }: Cost): string {
  if (unknownUsage === undefined || unknownUsage.attempts === 0) return moneyText(cost);
  if (unknownUsage.uncharged === 0) return `≤${moneyText(cost)}`;
  return cost === 0 ? 'unknown' : `≥${moneyText(cost)}`;
}

/** What a run has cost. */
export function costOf({ spent, unknownUsage }: Pick<RunState, 'spent' | 'unknownUsage'>): Cost {
  return { cost: spent.costUsd, unknownUsage };
}

/** Whether there is a cost to show. */
export function hasCost({ cost, unknownUsage }: Cost): boolean {
  return cost > 0 || (unknownUsage?.attempts ?? 0) > 0;
}

/** How much of a cost is not known, in one sentence; empty where all of it is known. */
export function unknownUsageText({ attempts, uncharged }: UnknownUsage = { attempts: 0, uncharged: 0 }): string {
  if (attempts === 0) return '';
  const who = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} did not report usage`;
  const reserved = attempts - uncharged;
  if (uncharged === 0) return `${who}; the reserved amount is counted instead.`;
  const free = `nothing is counted${reserved === 0 ? '' : ` for ${uncharged}`}, because without a budget nothing is reserved`;
  return reserved === 0 ? `${who}; ${free}.` : `${who}; the reserved amount is counted for ${reserved}, ${free}.`;
}

/** What of the cost of a row of usage is not known. */
export function unknownOfRow({
  unknown,
  uncharged,
}: Pick<UsageRow, 'unknown' | 'uncharged'>): UnknownUsage | undefined {
  return unknown === 0 ? undefined : { attempts: unknown, uncharged };
}

/** The sum of what is not known of several costs; undefined where all of it is known. */
export function sumUnknown(all: Iterable<UnknownUsage | undefined>): UnknownUsage | undefined {
  const sum = { attempts: 0, uncharged: 0 };
  for (const each of all) {
    sum.attempts += each?.attempts ?? 0;
    sum.uncharged += each?.uncharged ?? 0;
  }
  return sum.attempts === 0 ? undefined : sum;
}
