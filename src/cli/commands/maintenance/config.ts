import type { Command } from 'commander';
import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';

const Flags = CommonOptions.extend({ global: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands config list',
  'manyhands config set limits.agents 8',
  `manyhands config set checks '["npm test"]' --global`,
];
const COLUMNS = [{ title: 'KEY' }, { title: 'VALUE', most: 40 }, { title: 'FROM' }, { title: 'MEANING' }];

/** Reads and changes settings: the project's, or with --global the user's. */
export const configCommand: CliCommand = {
  name: 'config',
  aliases: ['cfg'],
  group: 'Maintenance',
  summary: 'read and change settings',
  define(command, session) {
    addHelp(command.helpCommand(false), EXAMPLES, READING_EXIT_CODES);
    defineGet(command.command('get'), session);
    defineSet(command.command('set'), session);
    defineUnset(command.command('unset'), session);
    defineList(command.command('list'), session);
  },
};

function defineGet(command: Command, session: Session): void {
  command.description('print the effective value').argument('<key>', 'such as limits.agents');
  addHelp(
    addScope(addJson(command)),
    ['manyhands config get land', 'manyhands config get limits --json'],
    READING_EXIT_CODES,
  );
  whenCalled(command, session, {
    options: Flags,
    act: async (flags, [key = '']) => {
      const { terminal } = session.platform;
      const setting = await inProject(session, flags, (caller, dir) =>
        caller.call('get-setting', { dir, scope: scopeOf(flags), key }),
      );
      if (flags.json) printJson(terminal, setting);
      else printLines(terminal, [valueText(setting.value)]);
      return 0;
    },
  });
}

function defineSet(command: Command, session: Session): void {
  command
    .description('set a value; comments in the file are kept')
    .argument('<key>', 'such as limits.agents')
    .argument('<value>', 'YAML: 8, true, "a text", \'["npm test"]\'');
  addHelp(addScope(addJson(command)), EXAMPLES.slice(1), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: Flags,
    act: async (flags, [key = '', text = '']) => {
      const { terminal } = session.platform;
      const { file, value, ignored } = await inProject(session, flags, (caller, dir) =>
        caller.call('set-setting', { dir, scope: scopeOf(flags), key, value: text }),
      );
      const isIgnored = ignored !== undefined;
      if (flags.json) printJson(terminal, { key, value, file, ...(isIgnored ? { ignored } : {}) });
      else terminal.err(`${key} = ${valueText(value)} in ${file}\n`);
      if (isIgnored)
        terminal.err(`note: It has no effect in a project's file: ${ignored}. To set it for yourself, add --global.\n`);
      return 0;
    },
  });
}

function defineUnset(command: Command, session: Session): void {
  command
    .description('remove a value, so that the next level applies: global settings, then the default')
    .argument('<key>', 'such as limits.agents');
  addHelp(
    addScope(addJson(command)),
    ['manyhands config unset limits.agents', 'manyhands config unset land --global'],
    READING_EXIT_CODES,
  );
  whenCalled(command, session, {
    options: Flags,
    act: async (flags, [key = '']) => {
      const { terminal } = session.platform;
      const { file } = await inProject(session, flags, (caller, dir) =>
        caller.call('unset-setting', { dir, scope: scopeOf(flags), key }),
      );
      if (flags.json) printJson(terminal, { key, file });
      else terminal.err(`${key} is removed from ${file}\n`);
      return 0;
    },
  });
}

function defineList(command: Command, session: Session): void {
  command.description('print every setting with its value and its source');
  addHelp(addScope(addJson(command)), ['manyhands config list', 'manyhands config list --json'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: Flags,
    act: async (flags) => {
      const { terminal } = session.platform;
      const entries = await inProject(session, flags, (caller, dir) =>
        caller.call('list-settings', { dir, scope: scopeOf(flags) }),
      );
      const rows = entries.map(({ key, value, from, description }) => [key, valueText(value), from, description]);
      if (flags.json) printJson(terminal, entries);
      else
        printLines(
          terminal,
          tableLines(COLUMNS, rows, terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER),
        );
      return 0;
    },
  });
}

function addScope(command: Command): Command {
  return addDir(command.option('-g, --global', 'your settings for all projects'));
}

function scopeOf({ global }: { global: boolean }): 'user' | 'project' {
  return global ? 'user' : 'project';
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
