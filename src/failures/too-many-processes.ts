import type { FailureRule } from './failure.ts';

/** Its own work caused it, so the next attempt gets it as evidence; nothing outside has to change first. */
export const tooManyProcesses: FailureRule<'too-many-processes'> = {
  kind: 'too-many-processes',
  title: 'Too many processes',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
