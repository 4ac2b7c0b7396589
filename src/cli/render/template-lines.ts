import { moneyText } from '../../core/view/amounts.ts';
import type { TemplateDocument, TemplateStatistic } from '../../schema/template.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { durationText } from './amounts.ts';
import { cleanText, oneLine } from './clean-text.ts';
import { tableLines } from './output.ts';

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

/** Templates as rows, with the outcome of their jobs over all models; the cost is the average per job. */
export function templateTable(terminal: Terminal, templates: readonly TemplateDocument[]): string[] {
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
export function templateLines(template: TemplateDocument): string[] {
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
