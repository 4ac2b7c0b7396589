import { z } from 'zod';
import { changeLines } from '../change-lines.ts';
import { cleanText } from '../clean-text.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../command.ts';
import { READING_EXIT_CODES } from '../exit-code.ts';
import { printJson, printLines } from '../output.ts';
import { type Painter, painter } from '../symbols.ts';
import { parseTarget, resolveDir } from '../target.ts';
import type { Terminal } from '../terminal.ts';

const Flags = CommonOptions.extend({ stat: z.boolean().default(false), summary: z.boolean().default(false) });

const EXAMPLES = ['manyhands diff', 'manyhands diff k3v9x2ab implement/1.2', 'manyhands diff k3v --summary'];

/** Shows what a run, or one of its tasks, changed. */
export const diffCommand: CliCommand = {
  define(command, session) {
    command.argument('[run]', 'default: the latest run here').argument('[task]', 'one task only');
    command.option('--stat', 'only which files, and how much');
    command.option('--summary', 'files by kind, risks, and whether tests are missing');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ stat, summary, json, ...flags }, args) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        if (summary) {
          const told = await caller.call('summarize-diff', { dir, ...parseTarget(args) });
          if (json) printJson(terminal, told);
          else printLines(terminal, changeLines(told));
          return 0;
        }
        const found = await caller.call('diff-run', { dir, ...parseTarget(args) });
        if (json) printJson(terminal, found);
        else terminal.out(shown(terminal, stat ? found.stat : found.diff));
        return 0;
      },
    });
  },
};

/** For a terminal harmless and coloured; for a file or a pipe exactly what git said, so that it can be applied. */
function shown(terminal: Terminal, found: string): string {
  const text = found === '' || found.endsWith('\n') ? found : `${found}\n`;
  if (!terminal.isOutputTerminal) return text;
  const colors = painter(terminal.colors.out);
  return cleanText(text)
    .split('\n')
    .map((line) => paintLine(line, colors))
    .join('\n');
}

function paintLine(line: string, colors: Painter): string {
  if (/^(diff |index |--- |\+\+\+ )/.test(line)) return colors.bold(line);
  if (line.startsWith('@@')) return colors.cyan(line);
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}
