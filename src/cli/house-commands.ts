import type { RegisteredCommand } from './registered-command.ts';

/** The commands that keep house, in the order of the help. */
export const HOUSE: readonly RegisteredCommand[] = [
  {
    name: 'collection',
    group: 'Keep house',
    summary: 'file runs in collections',
    load: async () => (await import('./commands/collection.ts')).collectionCommand,
  },
  {
    name: 'hide',
    group: 'Keep house',
    summary: 'leave a run out of lists',
    load: async () => (await import('./commands/hide.ts')).hideCommand,
  },
  {
    name: 'flag',
    group: 'Keep house',
    summary: 'mark a run to come back to',
    load: async () => (await import('./commands/flag.ts')).flagCommand,
  },
  {
    name: 'rename',
    group: 'Keep house',
    summary: 'give a run another title',
    load: async () => (await import('./commands/rename.ts')).renameCommand,
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
    name: 'archive',
    group: 'Keep house',
    summary: 'put old ended runs into files',
    load: async () => (await import('./commands/archive.ts')).archiveCommand,
  },
  {
    name: 'backup',
    group: 'Keep house',
    summary: 'copy the database to a file that was read through',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  {
    name: 'token',
    group: 'Keep house',
    summary: 'the token by which programs reach the server',
    load: async () => (await import('./commands/token.ts')).tokenCommand,
  },
  {
    name: 'where',
    group: 'Keep house',
    summary: 'where everything is written',
    load: async () => (await import('./commands/where.ts')).whereCommand,
  },
  {
    name: 'init',
    group: 'Keep house',
    summary: 'set a project up: look at it, write its settings',
    load: async () => (await import('./commands/init.ts')).initCommand,
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
