import { z } from 'zod';
import type { RunSummary } from '../../schema/document.ts';
import { clockText, moneyText, wholeNumber } from '../amounts.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../command.ts';
import { READING_EXIT_CODES } from '../exit-code.ts';
import { printJson, printLines, tableLines } from '../output.ts';
import { painter, runMark } from '../symbols.ts';
import { resolveDir } from '../target.ts';
import type { Terminal } from '../terminal.ts';

const Flags = CommonOptions.extend({ all: z.boolean().default(false), limit: z.number().default(20) });

const EXAMPLES = ['manyhands ls', 'manyhands ls --all --limit 100', 'manyhands ls --json'];

const COLUMNS = [
  { title: 'RUN' },
  { title: 'STATUS' },
  { title: 'TASKS', right: true },
  { title: 'TIME', right: true },
  { title: 'COST', right: true },
  { title: 'STARTED' },
];

/** Lists runs, newest first. */
export const lsCommand: CliCommand = {
  define(command, session) {
    command
      .option('--all', 'of all projects, not only this one')
      .option('-n, --limit <n>', 'how many', wholeNumber(1, 1000), 20);
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ all, limit, json, ...flags }) => {
        const { terminal, world, openCaller } = session.platform;
        const project = all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const runs = await caller.call('list-runs', { ...project, limit });
        if (json) printJson(terminal, runs);
        else if (runs.length === 0)
          terminal.err(`No runs ${all ? 'yet' : 'here yet'}. Start one: manyhands do "<goal>"\n`);
        else printLines(terminal, lines(terminal, runs, { all, now: world.now() }));
        const idle = caller.engine() === 'none' ? runs.filter(({ status }) => status === 'running').length : 0;
        if (idle > 0 && !json)
          terminal.err(
            `Nobody works on ${idle} unfinished ${idle === 1 ? 'run' : 'runs'}. Go on with: manyhands resume\n`,
          );
        return 0;
      },
    });
  },
};

function lines(terminal: Terminal, runs: readonly RunSummary[], { all, now }: { all: boolean; now: number }): string[] {
  const colors = painter(terminal.colors.out);
  const columns = [...COLUMNS, ...(all ? [{ title: 'PROJECT', most: 40 }] : []), { title: 'TITLE' }];
  const rows = runs.map((run) => [
    run.run,
    `${runMark(run.status, colors).symbol} ${run.status}`,
    `${run.done}/${run.tasks}`,
    clockText((run.endedAt === null ? now : Date.parse(run.endedAt)) - Date.parse(run.startedAt)),
    moneyText(run.cost),
    startedText(run.startedAt),
    ...(all ? [run.project] : []),
    run.title,
  ]);
  const [head, ...table] = tableLines(
    columns,
    rows,
    terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER,
  );
  return [colors.dim(head ?? ''), ...table.map((line, index) => paintStatus(line, runs[index], colors))];
}

function paintStatus(line: string, run: RunSummary | undefined, colors: ReturnType<typeof painter>): string {
  if (run === undefined) return line;
  const { symbol, paint } = runMark(run.status, colors);
  const word = `${symbol} ${run.status}`;
  return line.replace(word, () => paint(word));
}

function startedText(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
