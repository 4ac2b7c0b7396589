import { pad, shorten, textWidth, wrap } from '../render/text-width.ts';
import { actionHints, composeTarget } from './choose-action.ts';
import { type LineEdit, shownPart } from './line-edit.ts';
import { runBody, runHead } from './run-page.ts';
import { runsBody, runsHead } from './runs-page.ts';
import { scrollText, taskBody, taskHead } from './task-page.ts';
import type { Page } from './top-state.ts';
import type { View } from './view.ts';

const KEY_WIDTH = 12;

const KEYS: readonly [string, string][] = [
  ['j k, arrows', 'down, up; also PgDn PgUp Home End'],
  ['Enter, right', 'open the run, then the output of a task'],
  ['Esc, left', 'back; first clears the filter'],
  ['a', 'approve the plan, or held work'],
  ['c', 'cancel the run; its work is kept'],
  ['r', 'retry what failed, or this task'],
  ['p', 'pause or resume the run'],
  ['l', 'land the result on its base branch'],
  ['s', 'send a message to the agent of the task'],
  ['[ ]', 'in the output: previous, next attempt'],
  ['o', 'open in the browser, if mh serve is running'],
  ['/', 'show only rows with these words'],
  ['Ctrl-L', 'redraw, and check for a running engine'],
  ['q', 'quit; runs continue'],
];

/** A whole screen: one line per row, and the cursor where text is typed. */
export type Frame = { lines: string[]; cursor?: { row: number; column: number } };

type PageView = { head(view: View): string[]; body(view: View, rows: number): string[]; keys: string[] };

const MOST_MESSAGE_LINES = 4;

const PAGES: Record<Page['kind'], PageView> = {
  runs: { head: runsHead, body: runsBody, keys: ['Enter open'] },
  run: { head: runHead, body: runBody, keys: ['Enter output', 'Esc back'] },
  task: { head: taskHead, body: taskBody, keys: ['Esc back'] },
};

/** Draws the whole screen. */
export function drawFrame(view: View): Frame {
  const { top } = view;
  const { rows, columns } = top.size;
  const head = top.isHelp ? [] : headOf(view);
  const bodyHeight = Math.max(rows - head.length - 1, 0);
  const body = top.isHelp ? helpBody(view, bodyHeight) : PAGES[top.page.kind].body(view, bodyHeight);
  const { texts, column } = bottomOf(view, bodyHeight);
  const filled = [...head, ...body, ...blank(bodyHeight - body.length)].slice(0, Math.max(rows - texts.length, 0));
  const lines = [...filled, ...texts].slice(-Math.max(rows, 1));
  return column === undefined
    ? { lines }
    : { lines, cursor: { row: lines.length - 1, column: Math.min(column, columns - 1) } };
}

/** How many rows are available to the body of the page. */
export function bodyRows(view: View): number {
  return Math.max(view.top.size.rows - headOf(view).length - 1, 1);
}

function headOf(view: View): string[] {
  const { top, colors } = view;
  const page = PAGES[top.page.kind].head(view);
  if (top.engine !== 'none') return page;
  const isUnfinished = [...(top.runs?.values() ?? [])].some(({ endedAt }) => endedAt === null);
  const next = isUnfinished ? 'Continue with: mh resume, or mh serve' : 'Start with: mh do "<goal>"';
  return [...page, colors.yellow(shorten(`No engine is running. ${next}`, top.size.columns))];
}

/** `column` is the position of the cursor in the last line, if text is typed there. */
type Bottom = { texts: string[]; column?: number };

function bottomOf(view: View, rows: number): Bottom {
  const { top, colors } = view;
  const { columns } = top.size;
  const { line } = top;
  switch (line.kind) {
    case 'keys':
      return { texts: [keysLine(view, rows)] };
    case 'message':
      return { texts: messageLines(line.text, columns).map(line.isError ? colors.red : colors.green) };
    case 'question':
      return { texts: messageLines(`${line.text} (y/n)`, columns).map((text) => colors.bold(colors.yellow(text))) };
    case 'compose':
      return typed(`${shorten(`To ${line.task}:`, Math.floor(columns / 2))} `, line.edit, view);
    case 'filter':
      return typed('/', line.edit, view);
  }
}

/** A message on as many lines as it needs, up to a few. */
function messageLines(text: string, columns: number): string[] {
  const lines = wrap(text, columns);
  if (lines.length <= MOST_MESSAGE_LINES) return lines.length === 0 ? [''] : lines;
  return [...lines.slice(0, MOST_MESSAGE_LINES - 1), shorten(lines.slice(MOST_MESSAGE_LINES - 1).join(' '), columns)];
}

function typed(label: string, edit: LineEdit, { top, colors }: View): Bottom {
  const width = textWidth(label);
  const { text, column } = shownPart(edit, Math.max(top.size.columns - width - 1, 1));
  return { texts: [`${colors.bold(label)}${text}`], column: width + column };
}

/** The keys that apply to the current page and selection, as many as fit. */
function keysLine(view: View, rows: number): string {
  const { top, colors } = view;
  if (top.isHelp) return colors.dim('Any key closes help');
  const filter = top.filters[top.page.kind];
  const always = ['? help', 'q quit'];
  const parts = [
    ...(filter === '' ? [] : [`filter: ${filter} (Esc clears)`]),
    ...(top.page.kind === 'task' ? [scrollText(view, rows)] : []),
    ...PAGES[top.page.kind].keys,
    ...actionHints(top),
    ...('task' in composeTarget(top) ? ['s send'] : []),
    '/ filter',
  ];
  const fits = (count: number) => textWidth([...parts.slice(0, count), ...always].join(' · ')) <= top.size.columns;
  const count = parts.findIndex((_, index) => !fits(index + 1));
  const shown = [...(count < 0 ? parts : parts.slice(0, count)), ...always].join(' · ');
  return colors.dim(shorten(shown, top.size.columns));
}

function blank(count: number): string[] {
  return Array.from({ length: Math.max(count, 0) }, () => '');
}

/** The list of all keys. */
function helpBody({ top, colors }: View, rows: number): string[] {
  const lines = KEYS.map(([key, meaning]) => {
    const shown = shorten(meaning, top.size.columns - KEY_WIDTH - 2);
    return ` ${colors.bold(pad(key, KEY_WIDTH))} ${shown}`;
  });
  return lines.length < rows ? ['', ...lines] : lines.slice(0, rows);
}
