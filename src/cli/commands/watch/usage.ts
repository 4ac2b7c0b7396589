import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { costText, unknownOfRow, unknownUsageText } from '../../../core/view/cost-text.ts';
import type { UsageRow } from '../../../schema/usage.ts';
import { UsageBy } from '../../../schema/usage.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  all: z.boolean().default(false),
  by: UsageBy.default('agent'),
  since: z.string().optional(),
  until: z.string().optional(),
});

const EXAMPLES = [
  'manyhands usage',
  'manyhands usage --by day --all',
  'manyhands usage --by model --since 2026-03-01',
  'manyhands usage --by run --json',
];
const AMOUNTS = ['ATTEMPTS', 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'TURNS', 'COST'].map((title) => ({
  title,
  right: true,
}));

/** Prints what runs have consumed, most expensive first; an attempt of unknown usage counts with what was reserved for it. */
export const usageCommand: CliCommand = {
  name: 'usage',
  group: 'Watch',
  summary: 'show the tokens and the money that runs have used',
  define(command, session) {
    command
      .addOption(new Option('--by <what>', 'group by').choices(UsageBy.options).default('agent'))
      .option('--since <day>', 'the first day to include, such as 2026-03-01', parseDay)
      .option('--until <day>', 'the last day to include', parseDay)
      .option('--all', 'usage of all projects');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ all, by, json, since, until, ...flags }) => {
        const { terminal, openCaller } = session.platform;
        const project = all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const days = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
        const rows = await caller.call('usage', { ...project, by, ...days });
        if (json) printJson(terminal, rows);
        else if (rows.length === 0) terminal.err(`There is no usage${all ? '' : ' in this project'} yet.\n`);
        else printLines(terminal, lines(by, rows));
        const note = unknownUsageText({ attempts: sum(rows, 'unknown'), uncharged: sum(rows, 'uncharged') });
        if (note !== '' && !json) terminal.err(`${note}\n`);
        return 0;
      },
    });
  },
};

function parseDay(text: string): string {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('Use a day such as 2026-03-01.');
}

function lines(by: UsageBy, rows: readonly UsageRow[]): string[] {
  const columns = [...AMOUNTS, { title: by.toUpperCase() }];
  const shown = rows.length > 1 ? [...rows, total(rows)] : rows;
  return tableLines(columns, shown.map(cells), Number.MAX_SAFE_INTEGER);
}

function cells(row: UsageRow): string[] {
  const amounts = [row.attempts, row.calls, row.inputTokens, row.cachedTokens, row.outputTokens, row.turns];
  const cost = costText({ cost: row.cost, unknownUsage: unknownOfRow(row) });
  return [...amounts.map(String), cost, row.name];
}

function total(rows: readonly UsageRow[]): UsageRow {
  return {
    name: 'total',
    attempts: sum(rows, 'attempts'),
    calls: sum(rows, 'calls'),
    unknown: sum(rows, 'unknown'),
    uncharged: sum(rows, 'uncharged'),
    inputTokens: sum(rows, 'inputTokens'),
    outputTokens: sum(rows, 'outputTokens'),
    cachedTokens: sum(rows, 'cachedTokens'),
    turns: sum(rows, 'turns'),
    cost: sum(rows, 'cost'),
  };
}

function sum(rows: readonly UsageRow[], of: Exclude<keyof UsageRow, 'name' | 'day'>): number {
  return rows.reduce((total, row) => total + row[of], 0);
}
