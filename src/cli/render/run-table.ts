import { waitText } from '../../core/view/activity.ts';
import { momentText, untilText } from '../../core/view/amounts.ts';
import { costText } from '../../core/view/cost-text.ts';
import type { RunSummary } from '../../schema/document.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { clockText } from './amounts.ts';
import { type Column, tableLines } from './output.ts';
import { type Painter, painter, runMark, shownStatus } from './symbols.ts';

const COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'STATUS' },
  { title: 'TASKS', right: true },
  { title: 'TIME', right: true },
  { title: 'COST', right: true },
  { title: 'STARTED' },
];

/** `collections` and `projects`: whether to show the collection and the project of each run. */
export type RunTableView = { now: number; collections: boolean; projects: boolean };

/** Runs as rows; scheduled, flagged and hidden runs are marked. */
export function runTable(terminal: Terminal, runs: readonly RunSummary[], view: RunTableView): string[] {
  const colors = painter(terminal.colors.out);
  const columns = [
    ...COLUMNS,
    ...(view.collections ? [{ title: 'COLLECTION', most: 24 }] : []),
    ...(view.projects ? [{ title: 'PROJECT', most: 40 }] : []),
    { title: 'TITLE' },
  ];
  const rows = runs.map((run) => [
    run.run,
    `${runMark(shownStatus(run), colors).symbol} ${shownStatus(run)}`,
    `${run.done}/${run.tasks}`,
    clockText((run.endedAt === null ? view.now : Date.parse(run.endedAt)) - Date.parse(run.startedAt)),
    costText(run),
    startedText(run.startedAt),
    ...(view.collections ? [run.collection ?? ''] : []),
    ...(view.projects ? [run.project] : []),
    titleText(run, view.now),
  ]);
  const [head, ...table] = tableLines(
    columns,
    rows,
    terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER,
  );
  return [colors.dim(head ?? ''), ...table.map((line, index) => paintStatus(line, runs[index], colors))];
}

function titleText({ title, nextAt, waitsFor, flag, hidden }: RunSummary, now: number): string {
  const marks = [
    ...(flag == null ? [] : [flag.note === null ? '⚑' : `⚑ ${flag.note}:`]),
    ...(hidden ? ['(hidden)'] : []),
    ...(waitsFor === null ? [] : [`(${waitText(waitsFor, now)})`]),
    ...(waitsFor !== null || nextAt == null ? [] : [`(scheduled for ${untilText(Date.parse(nextAt), now)})`]),
  ];
  return [...marks, title].join(' ');
}

function paintStatus(line: string, run: RunSummary | undefined, colors: Painter): string {
  if (run === undefined) return line;
  const { symbol, paint } = runMark(shownStatus(run), colors);
  const status = `${symbol} ${shownStatus(run)}`;
  return line.replace(status, () => paint(status));
}

function startedText(iso: string): string {
  return momentText(Math.floor(Date.parse(iso) / 60_000) * 60_000);
}
