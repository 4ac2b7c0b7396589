import type { CliCommand } from './command.ts';

/** A command as the help lists it; its file is loaded only when it is called. */
export type RegisteredCommand = {
  name: string;
  aliases?: string[];
  group: CommandGroup;
  summary: string;
  hidden?: boolean;
  load(): Promise<CliCommand>;
};

type CommandGroup = 'Work' | 'Watch' | 'Steer' | 'Keep house';

/** Every command, in the order of the help. */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'do',
    group: 'Work',
    summary: 'turn a goal into a plan, parallel work and one checked result',
    load: async () => (await import('./commands/do.ts')).doCommand,
  },
  {
    name: 'job',
    group: 'Work',
    summary: 'give one task to one agent',
    load: async () => (await import('./commands/job.ts')).jobCommand,
  },
  {
    name: 'resume',
    group: 'Work',
    summary: 'go on with a run, or with all unfinished ones',
    load: async () => (await import('./commands/resume.ts')).resumeCommand,
  },
  {
    name: 'ls',
    aliases: ['list'],
    group: 'Watch',
    summary: 'list runs',
    load: async () => (await import('./commands/ls.ts')).lsCommand,
  },
  {
    name: 'show',
    aliases: ['status'],
    group: 'Watch',
    summary: 'show a run: tasks, checks, what to do next',
    load: async () => (await import('./commands/show.ts')).showCommand,
  },
  {
    name: 'wait',
    aliases: ['watch'],
    group: 'Watch',
    summary: 'watch a run until it is settled',
    load: async () => (await import('./commands/wait.ts')).waitCommand,
  },
  {
    name: 'logs',
    aliases: ['log'],
    group: 'Watch',
    summary: 'what the agents said and did',
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    name: 'diff',
    group: 'Watch',
    summary: 'what a run, or a task, changed',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  {
    name: 'open',
    group: 'Watch',
    summary: 'the folders of a run',
    load: async () => (await import('./commands/open.ts')).openCommand,
  },
  {
    name: 'usage',
    group: 'Watch',
    summary: 'what runs have consumed: tokens and money',
    load: async () => (await import('./commands/usage.ts')).usageCommand,
  },
  {
    name: 'approve',
    aliases: ['ok'],
    group: 'Steer',
    summary: 'approve a plan or held work',
    load: async () => (await import('./commands/approve.ts')).approveCommand,
  },
  {
    name: 'retry',
    group: 'Steer',
    summary: 'try failed or blocked tasks again',
    load: async () => (await import('./commands/retry.ts')).retryCommand,
  },
  {
    name: 'land',
    group: 'Steer',
    summary: 'bring a run branch onto its base',
    load: async () => (await import('./commands/land.ts')).landCommand,
  },
  {
    name: 'limit',
    group: 'Steer',
    summary: 'change how many attempts are under way at once',
    load: async () => (await import('./commands/limit.ts')).limitCommand,
  },
  {
    name: 'cancel',
    group: 'Steer',
    summary: 'cancel a run; everything it made is kept',
    load: async () => (await import('./commands/cancel.ts')).cancelCommand,
  },
  {
    name: 'salvage',
    group: 'Keep house',
    summary: 'list all saved work, and put it on a branch',
    load: async () => (await import('./commands/salvage.ts')).salvageCommand,
  },
  {
    name: 'clean',
    group: 'Keep house',
    summary: 'remove what is saved and no longer needed',
    load: async () => (await import('./commands/clean.ts')).cleanCommand,
  },
  {
    name: 'models',
    group: 'Watch',
    summary: 'list agents and models, and who would be picked',
    load: async () => (await import('./commands/models.ts')).modelsCommand,
  },
  {
    name: 'where',
    group: 'Keep house',
    summary: 'where everything is written',
    load: async () => (await import('./commands/where.ts')).whereCommand,
  },
  {
    name: 'config',
    aliases: ['cfg'],
    group: 'Keep house',
    summary: 'read and change settings',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    name: 'doctor',
    group: 'Keep house',
    summary: 'check what Manyhands needs',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    group: 'Keep house',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    name: 'complete',
    group: 'Keep house',
    summary: 'answer a completion script',
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeCommand,
  },
];
