import type { RegisteredCommand } from './registered-command.ts';

/** The commands that watch it, in the order of the help. */
export const WATCH: readonly RegisteredCommand[] = [
  {
    name: 'serve',
    group: 'Watch',
    summary: 'serve the dashboard and the API, and carry every unfinished run on',
    load: async () => (await import('./watch/serve.ts')).serveCommand,
  },
  {
    name: 'stop',
    group: 'Watch',
    summary: 'end the server, or whatever carries the runs; agents go on',
    load: async () => (await import('./watch/stop.ts')).stopCommand,
  },
  {
    name: 'top',
    group: 'Watch',
    summary: 'see and steer everything live, on the whole terminal',
    load: async () => (await import('./watch/top.ts')).topCommand,
  },
  {
    name: 'ls',
    aliases: ['list'],
    group: 'Watch',
    summary: 'list runs',
    load: async () => (await import('./watch/ls.ts')).lsCommand,
  },
  {
    name: 'show',
    aliases: ['status'],
    group: 'Watch',
    summary: 'show a run: tasks, checks, what to do next',
    load: async () => (await import('./watch/show.ts')).showCommand,
  },
  {
    name: 'wait',
    aliases: ['watch'],
    group: 'Watch',
    summary: 'watch a run until it is settled',
    load: async () => (await import('./watch/wait.ts')).waitCommand,
  },
  {
    name: 'logs',
    aliases: ['log'],
    group: 'Watch',
    summary: 'what the agents said and did',
    load: async () => (await import('./watch/logs.ts')).logsCommand,
  },
  {
    name: 'search',
    group: 'Watch',
    summary: 'search what agents said and what tasks ask for',
    load: async () => (await import('./watch/search.ts')).searchCommand,
  },
  {
    name: 'inbox',
    group: 'Watch',
    summary: 'what waits for you, in all projects',
    load: async () => (await import('./watch/inbox.ts')).inboxCommand,
  },
  {
    name: 'warnings',
    group: 'Watch',
    summary: 'what looks like trouble in a run, and dismiss it once seen',
    load: async () => (await import('./watch/warnings.ts')).warningsCommand,
  },
  {
    name: 'attach',
    group: 'Watch',
    summary: 'work with an interactive agent in its terminal',
    load: async () => (await import('./watch/attach.ts')).attachCommand,
  },
  {
    name: 'diff',
    group: 'Watch',
    summary: 'what a run, or a task, changed',
    load: async () => (await import('./watch/diff.ts')).diffCommand,
  },
  {
    name: 'verify',
    group: 'Watch',
    summary: 'whether the result of a run can be accepted as it stands',
    load: async () => (await import('./watch/verify.ts')).verifyCommand,
  },
  {
    name: 'judge',
    group: 'Watch',
    summary: 'decide about a run: approve, revise or block',
    load: async () => (await import('./watch/judge.ts')).judgeCommand,
  },
  {
    name: 'report',
    group: 'Watch',
    summary: 'write what was asked, done, proven and decided',
    load: async () => (await import('./watch/report.ts')).reportCommand,
  },
  {
    name: 'open',
    group: 'Watch',
    summary: 'the folders of a run',
    load: async () => (await import('./watch/open.ts')).openCommand,
  },
  {
    name: 'usage',
    group: 'Watch',
    summary: 'what runs have consumed: tokens and money',
    load: async () => (await import('./watch/usage.ts')).usageCommand,
  },
  {
    name: 'models',
    group: 'Watch',
    summary: 'list agents and models, who would be picked, how good they are',
    load: async () => (await import('./watch/models.ts')).modelsCommand,
  },
];
