import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { durationText, moneyText } from '../../../core/view/amounts.ts';
import { jobPrompt } from '../../../recipes/job/job.ts';
import { Tier } from '../../../schema/task.ts';
import type { TemplateDocument, TemplateHeader, TemplateStatistic } from '../../../schema/template.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, collect, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { parseUsd } from '../../render/amounts.ts';
import { cleanText, oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { addContextOption, contextOf } from '../../start/context-option.ts';
import { readGoalText } from '../../start/goal-text.ts';
import { readNamedFile } from '../../start/named-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const COLUMNS = [
  { title: 'TEMPLATE', most: 30 },
  { title: 'FROM' },
  { title: 'RUNS', right: true },
  { title: 'VERIFIED', right: true },
  { title: 'COST', right: true },
  { title: 'FOR' },
];

const STATISTICS = [
  { title: 'AGENT' },
  { title: 'MODEL', most: 40 },
  { title: 'RUNS', right: true },
  { title: 'VERIFIED', right: true },
  { title: 'LANDED', right: true },
  { title: 'COST', right: true },
  { title: 'TURNS', right: true },
  { title: 'TIME', right: true },
];

const ScopeFlags = CommonOptions.extend({ global: z.boolean().default(false) });
const RenderFlags = CommonOptions.extend({ context: z.array(z.string()).default([]) });
const AddFlags = ScopeFlags.extend({
  summary: z.string().optional(),
  agent: z.string().optional(),
  tier: Tier.optional(),
  role: z.string().optional(),
  write: z.boolean().optional(),
  check: z.array(z.string()).default([]),
  budget: z.number().optional(),
  force: z.boolean().default(false),
});
type AddFlags = z.infer<typeof AddFlags>;

const EXAMPLES = [
  'manyhands template ls',
  'manyhands template show bugfix',
  'manyhands template add code-style style.md --tier light --check "npm test"',
  'manyhands template render bugfix "The total is wrong on Sundays"',
];

/** Stores guidelines and defaults for jobs, and shows the outcome of the jobs that used them. */
export const templateCommand: CliCommand = {
  name: 'template',
  group: 'Work',
  summary: 'store guidelines and defaults for jobs, and show their outcome',
  define(command, session) {
    addHelp(command.helpCommand(false), EXAMPLES, READING_EXIT_CODES);
    defineLs(command.command('ls'), session);
    defineShow(command.command('show'), session);
    defineRender(command.command('render'), session);
    defineAdd(command.command('add'), session);
    defineRm(command.command('rm'), session);
  },
};

function defineLs(command: Command, session: Session): void {
  command.description('list the templates, and the outcome of their jobs');
  addHelp(addDir(addJson(command)), ['manyhands template ls', 'manyhands template ls --json'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags) => {
      const { terminal } = session.platform;
      const found = await inProject(session, flags, (caller, dir) => caller.call('list-templates', { dir }));
      if (flags.json) printJson(terminal, found.templates);
      else printLines(terminal, templateTable(terminal, found.templates));
      for (const error of found.mistakes) terminal.err(`note: not listed: ${error}\n`);
      return 0;
    },
  });
}

function defineShow(command: Command, session: Session): void {
  command.description('show a template, and the outcome of its jobs by model').argument('<name>', 'the template');
  addHelp(addDir(addJson(command)), EXAMPLES.slice(1, 2), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags, [name = '']) => {
      const { terminal } = session.platform;
      const template = await inProject(session, flags, (caller, dir) => caller.call('show-template', { dir, name }));
      if (flags.json) printJson(terminal, template);
      else printLines(terminal, templateLines(template));
      return 0;
    },
  });
}

function defineRender(command: Command, session: Session): void {
  command.description('print the task as the agent receives it').argument('<name>', 'the template');
  command.argument('[task...]', 'the task; - reads it from standard input, @file from a file');
  addHelp(addDir(addJson(addContextOption(command))), EXAMPLES.slice(3), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: RenderFlags,
    act: async (flags, [name = '', ...words]) => {
      const { terminal } = session.platform;
      const template = await inProject(session, flags, (caller, dir) => caller.call('show-template', { dir, name }));
      const task = words.length === 0 ? template.summary : await readGoalText(terminal, words);
      const text = jobPrompt({ task, guidelines: template.text, context: await contextOf(terminal, flags.context) });
      if (flags.json) printJson(terminal, { template: name, text });
      else terminal.out(`${text}\n`);
      return 0;
    },
  });
}

function defineAdd(command: Command, session: Session): void {
  command.description('store a template for the project, or for all projects').argument('<name>', 'its name');
  command
    .argument('<file>', 'a Markdown file, with or without front matter; - reads standard input')
    .option('-g, --global', 'for all your projects')
    .option('--summary <text>', 'a one-sentence description')
    .option('-a, --agent <agent>', 'the default agent')
    .addOption(new Option('--tier <tier>', 'the model tier').choices(Tier.options))
    .option('-r, --role <role>', 'the role of the agent; read-only unless --write')
    .option('-w, --write', 'allow the role to change files')
    .option('-c, --check <command>', 'a command that must exit with 0 on the merged result; repeatable', collect)
    .option('--budget <usd>', 'maximum cost of a job in US dollars', parseUsd)
    .option('--force', 'replace an existing template');
  addHelp(addDir(addJson(command)), EXAMPLES.slice(2, 3), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: AddFlags,
    act: async (flags, [name = '', given = '']) => {
      const { terminal } = session.platform;
      const text = given === '-' ? await terminal.readInput() : await readNamedFile(resolve(terminal.cwd, given));
      const saved = { name, text, header: headerOf(flags), scope: scopeOf(flags), replace: flags.force };
      const { file, summary } = await inProject(session, flags, (caller, dir) =>
        caller.call('save-template', { dir, ...saved }),
      );
      if (flags.json) printJson(terminal, { name, file });
      else terminal.err(`Stored the template ${name} in ${file}: ${summary}\n`);
      return 0;
    },
  });
}

function defineRm(command: Command, session: Session): void {
  command.description('remove a template of the project, or one for all projects').argument('<name>', 'the template');
  command.option('-g, --global', 'the template for all your projects');
  addHelp(addDir(addJson(command)), ['manyhands template rm code-style'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: ScopeFlags,
    act: async (flags, [name = '']) => {
      const { terminal } = session.platform;
      const scope = scopeOf(flags);
      const { file } = await inProject(session, flags, (caller, dir) =>
        caller.call('remove-template', { dir, name, scope }),
      );
      if (flags.json) printJson(terminal, { name, file });
      else terminal.err(`Removed ${file}\n`);
      return 0;
    },
  });
}

function scopeOf({ global }: { global: boolean }): 'global' | 'project' {
  return global ? 'global' : 'project';
}

function headerOf({ summary, agent, tier, role, write, check, budget }: AddFlags): Partial<TemplateHeader> {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(agent === undefined ? {} : { agent }),
    ...(tier === undefined ? {} : { tier }),
    ...(role === undefined ? {} : { role }),
    ...(write === undefined ? {} : { write }),
    ...(check.length === 0 ? {} : { checks: check }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** Templates as rows, with the outcome of their jobs over all models; the cost is the average per job. */
function templateTable(terminal: Terminal, templates: readonly TemplateDocument[]): string[] {
  const rows = templates.map(({ name, from, summary, statistics }) => {
    const runs = statistics.reduce((sum, row) => sum + row.runs, 0);
    const verified = statistics.reduce((sum, row) => sum + row.verified, 0);
    const cost = statistics.reduce((sum, row) => sum + row.cost * row.runs, 0);
    return [
      name,
      from,
      String(runs),
      runs === 0 ? '' : percent(verified / runs),
      runs === 0 ? '' : moneyText(cost / runs),
      oneLine(summary),
    ];
  });
  return tableLines(COLUMNS, rows, terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER);
}

/** A template: its settings, the outcome of its jobs by model, and its text. */
function templateLines(template: TemplateDocument): string[] {
  const { name, summary, file, agent, tier, role, write, dir, checks, budget, statistics, text } = template;
  const settings = [
    ['file', file],
    ['agent', agent],
    ['tier', tier],
    ['role', role === null ? null : `${role}${write ? ' (may change files)' : ''}`],
    ['project', dir],
    ['checks', checks.length === 0 ? null : checks.join('; ')],
    ['budget', budget === null ? null : moneyText(budget)],
  ] as const;
  return [
    `${name}: ${oneLine(summary)}`,
    ...settings.flatMap(([what, value]) => (value === null ? [] : [`  ${what.padEnd(8)} ${oneLine(value)}`])),
    ...(statistics.length === 0
      ? ['', 'No job that uses this template has ended yet.']
      : ['', ...statisticLines(statistics)]),
    '',
    ...cleanText(text).split('\n'),
  ];
}

function statisticLines(statistics: readonly TemplateStatistic[]): string[] {
  const rows = statistics.map(({ agent, model, runs, successRate, landed, cost, turns, durationMs }) => [
    agent,
    model ?? 'unknown',
    String(runs),
    percent(successRate),
    String(landed),
    moneyText(cost),
    String(turns),
    durationText(durationMs),
  ]);
  return tableLines(STATISTICS, rows, Number.MAX_SAFE_INTEGER);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
