import type { RegisteredCommand } from './registered-command.ts';

/** The commands that steer it, in the order of the help. */
export const CONTROL: readonly RegisteredCommand[] = [
  {
    name: 'approve',
    aliases: ['ok'],
    group: 'Steer',
    summary: 'approve a plan or held work',
    load: async () => (await import('./control/approve.ts')).approveCommand,
  },
  {
    name: 'retry',
    group: 'Steer',
    summary: 'try failed or blocked tasks again, or do a done one again',
    load: async () => (await import('./control/retry.ts')).retryCommand,
  },
  {
    name: 'send',
    group: 'Steer',
    summary: 'tell the agent of a task something',
    load: async () => (await import('./control/send.ts')).sendCommand,
  },
  {
    name: 'land',
    group: 'Steer',
    summary: 'bring a run branch onto its base',
    load: async () => (await import('./control/land.ts')).landCommand,
  },
  {
    name: 'pr',
    group: 'Steer',
    summary: 'open the pull request of a run, or bring it up to date',
    load: async () => (await import('./control/pr.ts')).prCommand,
  },
  {
    name: 'undo',
    group: 'Steer',
    summary: 'take a landed run back, where that is safe',
    load: async () => (await import('./control/undo.ts')).undoCommand,
  },
  {
    name: 'pause',
    group: 'Steer',
    summary: 'start nothing more in a run or a track',
    load: async () => (await import('./control/pause.ts')).pauseCommand,
  },
  {
    name: 'limit',
    group: 'Steer',
    summary: 'change how many attempts are under way at once',
    load: async () => (await import('./control/limit.ts')).limitCommand,
  },
  {
    name: 'cancel',
    group: 'Steer',
    summary: 'cancel a run; everything it made is kept',
    load: async () => (await import('./control/cancel.ts')).cancelCommand,
  },
];
