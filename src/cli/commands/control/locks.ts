import { z } from 'zod';
import { momentText } from '../../../core/view/amounts.ts';
import { AppError } from '../../../errors.ts';
import type { ProjectLocks } from '../../../operations/locks/list-locks.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A week. */
const MOST_MINUTES = 10_080;
const Flags = CommonOptions.extend({
  minutes: z.number().default(60),
  reason: z.string().default(''),
});

const EXAMPLES = [
  'manyhands locks',
  'manyhands locks take src/parser.ts --minutes 30 --reason "I am rewriting it"',
  'manyhands locks release src/parser.ts',
  'manyhands locks --json',
];

const COLUMNS = [{ title: 'PATH' }, { title: 'BY' }, { title: 'SINCE' }, { title: 'UNTIL' }, { title: 'REASON' }];

/** Lists, takes and releases locks on files. */
export const locksCommand: CliCommand = {
  name: 'locks',
  group: 'Control',
  summary: 'list, take and release locks on files of the project',
  define(command, session) {
    command
      .argument('[action]', 'list (default), take or release')
      .argument('[paths...]', 'files or folders of the project')
      .option('--minutes <n>', 'how long your locks last (default: 60)', wholeNumber(1, MOST_MINUTES))
      .option('--reason <text>', 'shown to agents that wait');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ json, minutes, reason, ...flags }, [action = 'list', ...paths]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        if ((action === 'list') !== (paths.length === 0) || !['list', 'take', 'release'].includes(action))
          throw new AppError(
            'USAGE',
            'Use manyhands locks, manyhands locks take <paths>, or manyhands locks release <paths>',
          );
        await using caller = await openCaller(terminal.env);
        const locks =
          action === 'take'
            ? await caller.call('take-locks', { dir, paths, reason, seconds: minutes * 60 })
            : action === 'release'
              ? await caller.call('release-locks', { dir, paths })
              : await caller.call('list-locks', { dir });
        if (json) printJson(terminal, locks);
        else printLocks(terminal, locks);
        return 0;
      },
    });
  },
};

function printLocks(terminal: Terminal, { held, queue }: ProjectLocks): void {
  if (held.length === 0) terminal.err('No file is locked.\n');
  const rows = held.map(({ path, by, since, expires, reason }) => [
    oneLine(path === '' ? '.' : path),
    oneLine(by),
    momentText(since),
    expires === null ? 'its attempt ends' : momentText(expires),
    oneLine(reason),
  ]);
  if (rows.length > 0) printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
  for (const { by, paths } of queue) terminal.out(`${oneLine(by)} waits for ${oneLine(paths.join(', '))}\n`);
}
