import { z } from 'zod';
import type { ChangeSummary } from '../../../schema/change.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText, oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { parseTarget, resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const KINDS = [
  { title: 'KIND' },
  { title: 'FILES', right: true },
  { title: 'ADDED', right: true },
  { title: 'DELETED', right: true },
];

const MOST_FILES = 5;

const Flags = CommonOptions.extend({
  stat: z.boolean().default(false),
  summary: z.boolean().default(false),
  unsaved: z.boolean().default(false),
});

const EXAMPLES = [
  'manyhands diff',
  'manyhands diff k3v9x2ab implement/1.2',
  'manyhands diff k3v --summary',
  'manyhands diff k3v --unsaved',
];

/** Shows what a run, or one of its tasks, changed. */
export const diffCommand: CliCommand = {
  name: 'diff',
  group: 'Watch',
  summary: 'show what a run or a task changed',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project').argument('[task]', 'only this task');
    command.option('--stat', 'only the changed files and line counts');
    command.option('--summary', 'files by kind, risks, and whether tests are missing');
    command.option('--unsaved', 'what running agents have changed so far, unsaved and unchecked');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ stat, summary, unsaved, json, ...flags }, args) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        if (summary) {
          const change = await caller.call('summarize-diff', { dir, ...parseTarget(args) });
          if (json) printJson(terminal, change);
          else printLines(terminal, changeLines(change));
          return 0;
        }
        if (unsaved) {
          const now = await caller.call('unsaved-changes', { dir, ...parseTarget(args) });
          if (json) printJson(terminal, now);
          else if (now.tasks.length === 0) terminal.err(`No task of run ${now.run} is running.\n`);
          else for (const { diff } of now.tasks) terminal.out(shown(terminal, diff));
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

/** Safe and colored on a terminal; exactly the output of git in a file or a pipe, so that it can be applied. */
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

/** The statistics of a change, for a terminal. */
function changeLines({ files, kinds, risks, tests }: ChangeSummary): string[] {
  if (files.length === 0) return ['No file changed.'];
  const rows = kinds.map((row) => [row.kind, String(row.files), `+${row.added}`, `-${row.deleted}`]);
  return [
    ...tableLines(KINDS, rows, Number.MAX_SAFE_INTEGER),
    `${tests.needed ? '!' : '✓'} tests: ${tests.reason}`,
    ...risks.map(({ risk, detail, files: of }) => `! ${risk}: ${detail}${filesText(of)}`),
  ];
}

function filesText(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length - MOST_FILES;
  return ` (${files.slice(0, MOST_FILES).map(oneLine).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
