import type { FailureRule } from './failure.ts';

const DELAY_MS = 15_000;

/** Connections come back by themselves, usually within seconds. */
export const network: FailureRule<'network'> = {
  kind: 'network',
  title: 'Network',
  follow: () => ({ action: 'retry', delayMs: DELAY_MS, resume: false, free: false }),
};
