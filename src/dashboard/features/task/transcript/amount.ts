import { duration } from '../../../ui/amounts.tsx';
import { field } from './fold.ts';

/** How long after its attempt began something was said. */
export function sinceStart(ms: number): string {
  return `+${duration(ms)}`;
}

/** What a row about usage says, in a few words; undefined where it says nothing. */
export function usageWords(data: unknown): string | undefined {
  const cost = field(data, 'costUsd');
  const tokens = [field(data, 'inputTokens'), field(data, 'outputTokens')];
  const turns = field(data, 'turns');
  const known = tokens.filter((each) => typeof each === 'number');
  if (typeof cost !== 'number') return undefined;
  const parts = [
    ...(typeof turns === 'number' && turns > 0 ? [`turn ${turns}`] : []),
    ...(known.length > 0 ? [`${known.reduce((sum, each) => sum + each, 0).toLocaleString('en-US')} tokens`] : []),
    `$${cost.toFixed(4)}`,
  ];
  return parts.join(' · ');
}
