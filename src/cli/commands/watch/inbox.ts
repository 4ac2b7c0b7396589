import { z } from 'zod';
import type { InboxItem } from '../../../operations/inbox/list-inbox.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const Flags = CommonOptions.extend({ here: z.boolean().default(false) });

const EXAMPLES = ['manyhands inbox', 'manyhands inbox --here', 'manyhands inbox --json'];

/** Lists what waits for the user in all projects. */
export const inboxCommand: CliCommand = {
  name: 'inbox',
  group: 'Watch',
  summary: 'list what is waiting for you, in all projects',
  define(command, session) {
    command.option('--here', 'only the current project');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        const { terminal, openCaller } = session.platform;
        const isOneProject = flags.here || flags.dir !== undefined;
        const project = isOneProject ? { dir: await resolveDir(terminal, flags.dir) } : {};
        await using caller = await openCaller(terminal.env);
        const items = await caller.call('list-inbox', project);
        if (flags.json) printJson(terminal, items);
        else if (items.length === 0) terminal.err('Nothing is waiting for you.\n');
        else
          printLines(
            terminal,
            items.flatMap((item) => linesOf(terminal, item)),
          );
        return 0;
      },
    });
  },
};

function linesOf(terminal: Terminal, item: InboxItem): string[] {
  const colors = painter(terminal.colors.out);
  const { run, title, project, task, what, reason, nextStep, files } = item;
  const about = task === null ? oneLine(title) : `${oneLine(item.label ?? task)}: ${oneLine(item.taskTitle ?? title)}`;
  return [
    `${colors.bold(run)}  ${what}  ${about}  ${colors.dim(oneLine(project))}`,
    `  ${oneLine(reason)}`,
    ...(files.length === 0 ? [] : [`  files: ${files.slice(0, 10).map(oneLine).join(', ')}`]),
    `  next: ${oneLine(nextStep)}`,
    ...(item.alternatives ?? []).map(({ command, purpose }) => `  or ${purpose}: ${command}`),
  ];
}
