import type { RegisteredCommand } from './registered-command.ts';

/** The commands that keep house, in the order of the help. */
export const MAINTENANCE: readonly RegisteredCommand[] = [
  {
    name: 'collection',
    group: 'Keep house',
    summary: 'file runs in collections',
    load: async () => (await import('./maintenance/collection.ts')).collectionCommand,
  },
  {
    name: 'hide',
    group: 'Keep house',
    summary: 'leave a run out of lists',
    load: async () => (await import('./maintenance/hide.ts')).hideCommand,
  },
  {
    name: 'flag',
    group: 'Keep house',
    summary: 'mark a run to come back to',
    load: async () => (await import('./maintenance/flag.ts')).flagCommand,
  },
  {
    name: 'rename',
    group: 'Keep house',
    summary: 'give a run another title',
    load: async () => (await import('./maintenance/rename.ts')).renameCommand,
  },
  {
    name: 'salvage',
    group: 'Keep house',
    summary: 'list all saved work, and put it on a branch',
    load: async () => (await import('./maintenance/salvage.ts')).salvageCommand,
  },
  {
    name: 'clean',
    group: 'Keep house',
    summary: 'remove what is saved and no longer needed',
    load: async () => (await import('./maintenance/clean.ts')).cleanCommand,
  },
  {
    name: 'archive',
    group: 'Keep house',
    summary: 'put old ended runs into files',
    load: async () => (await import('./maintenance/archive.ts')).archiveCommand,
  },
  {
    name: 'backup',
    group: 'Keep house',
    summary: 'copy the database to a file that was read through',
    load: async () => (await import('./maintenance/backup.ts')).backupCommand,
  },
  {
    name: 'token',
    group: 'Keep house',
    summary: 'the token by which programs reach the server',
    load: async () => (await import('./maintenance/token.ts')).tokenCommand,
  },
  {
    name: 'where',
    group: 'Keep house',
    summary: 'where everything is written',
    load: async () => (await import('./maintenance/where.ts')).whereCommand,
  },
  {
    name: 'init',
    group: 'Keep house',
    summary: 'set a project up: look at it, write its settings',
    load: async () => (await import('./maintenance/init.ts')).initCommand,
  },
  {
    name: 'config',
    aliases: ['cfg'],
    group: 'Keep house',
    summary: 'read and change settings',
    load: async () => (await import('./maintenance/config.ts')).configCommand,
  },
  {
    name: 'doctor',
    group: 'Keep house',
    summary: 'check what Manyhands needs',
    load: async () => (await import('./maintenance/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    group: 'Keep house',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./maintenance/completion.ts')).completionCommand,
  },
  {
    name: 'complete',
    group: 'Keep house',
    summary: 'answer a completion script',
    hidden: true,
    load: async () => (await import('./maintenance/complete.ts')).completeCommand,
  },
];
