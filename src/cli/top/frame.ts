import { pad, shorten, textWidth, wrap } from '../render/text-width.ts';
import { actionHints, messageTaskAt } from './choose-action.ts';
import { type LineEdit, shownPart } from './line-edit.ts';
import { runBody, runHead } from './run-page.ts';
import { runsBody, runsHead } from './runs-page.ts';
import { placeText, taskBody, taskHead } from './task-page.ts';
import type { Page } from './top.ts';
import type { View } from './view.ts';

const KEY_WIDTH = 12;

const KEYS: readonly [string, string][] = [
  ['j k, arrows', 'down, up; also PgDn PgUp Home End'],
  ['Enter, right', 'open the run, then the output of a task'],
  ['Esc, left', 'back; first clears the filter'],
  ['a', 'approve the plan, or held work'],
  ['c', 'cancel the run; everything it made is kept'],
  ['r', 'try again what failed, or this task'],
  ['p', 'pause the run, or go on with it'],
  ['l', 'land the result on its base branch'],
  ['s', 'send a message to the agent of the task'],
  ['[ ]', 'at the output: attempt before, after'],
  ['o', 'open in the browser, if mh serve runs'],
  ['/', 'show only what holds these words'],
  ['Ctrl-L', 'draw again, and look whether an engine runs'],
  ['q', 'quit; nothing that runs is touched'],
];

/** A whole picture: a line for each row of the screen, and the cursor where something is typed. */
export type Frame = { lines: string[]; cursor?: { row: number; column: number } };

type PageView = { head(view: View): string[]; body(view: View, room: number): string[]; keys: string[] };

const MOST_SAID = 4;

const PAGES: Record<Page['kind'], PageView> = {
  runs: { head: runsHead, body: runsBody, keys: ['Enter open'] },
  run: { head: runHead, body: runBody, keys: ['Enter output', 'Esc back'] },
  task: { head: taskHead, body: taskBody, keys: ['Esc back'] },
};

/** Draws what the person sees. */
export function drawFrame(view: View): Frame {
  const { top } = view;
  const { rows, columns } = top.size;
  const head = top.isHelp ? [] : headOf(view);
  const room = Math.max(rows - head.length - 1, 0);
  const body = top.isHelp ? helpBody(view, room) : PAGES[top.page.kind].body(view, room);
  const { texts, column } = bottomOf(view, room);
  const filled = [...head, ...body, ...blank(room - body.length)].slice(0, Math.max(rows - texts.length, 0));
  const lines = [...filled, ...texts].slice(-Math.max(rows, 1));
  return column === undefined
    ? { lines }
    : { lines, cursor: { row: lines.length - 1, column: Math.min(column, columns - 1) } };
}

/** How many rows the page itself has. */
export function bodyRows(view: View): number {
  return Math.max(view.top.size.rows - headOf(view).length - 1, 1);
}

function headOf(view: View): string[] {
  const { top, colors } = view;
  const page = PAGES[top.page.kind].head(view);
  if (top.engine !== 'none') return page;
  const isUnfinished = [...(top.runs?.values() ?? [])].some(({ endedAt }) => endedAt === null);
  const next = isUnfinished ? 'Go on with: mh resume, or mh serve' : 'Start with: mh do "<goal>"';
  const long = `Nothing is running; this is the record. ${next}`;
  const idle = textWidth(long) <= top.size.columns ? long : `Nothing is running. ${next}`;
  return [...page, colors.yellow(shorten(idle, top.size.columns))];
}

/** `column` is where the cursor stands in the last line, if something is typed there. */
type Bottom = { texts: string[]; column?: number };

function bottomOf(view: View, room: number): Bottom {
  const { top, colors } = view;
  const { columns } = top.size;
  const { line } = top;
  switch (line.kind) {
    case 'keys':
      return { texts: [keysLine(view, room)] };
    case 'said':
      return { texts: several(line.text, columns).map(line.isTrouble ? colors.red : colors.green) };
    case 'question':
      return { texts: several(`${line.text} (y/n)`, columns).map((text) => colors.bold(colors.yellow(text))) };
    case 'message':
      return typed(`${shorten(`To ${line.task}:`, Math.floor(columns / 2))} `, line.edit, view);
    case 'filter':
      return typed('/', line.edit, view);
  }
}

/** Words on as many lines as they need, up to a few. */
function several(text: string, columns: number): string[] {
  const lines = wrap(text, columns);
  if (lines.length <= MOST_SAID) return lines.length === 0 ? [''] : lines;
  return [...lines.slice(0, MOST_SAID - 1), shorten(lines.slice(MOST_SAID - 1).join(' '), columns)];
}

function typed(label: string, edit: LineEdit, { top, colors }: View): Bottom {
  const width = textWidth(label);
  const { text, column } = shownPart(edit, Math.max(top.size.columns - width - 1, 1));
  return { texts: [`${colors.bold(label)}${text}`], column: width + column };
}

/** The keys that do something where the person is, as many as there is room for. */
function keysLine(view: View, room: number): string {
  const { top, colors } = view;
  if (top.isHelp) return colors.dim('Any key goes back');
  const filter = top.filters[top.page.kind];
  const always = ['? help', 'q quit'];
  const parts = [
    ...(filter === '' ? [] : [`filter: ${filter} (Esc clears)`]),
    ...(top.page.kind === 'task' ? [placeText(view, room)] : []),
    ...PAGES[top.page.kind].keys,
    ...actionHints(top),
    ...('task' in messageTaskAt(top) ? ['s send'] : []),
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

/** What every key does. */
function helpBody({ top, colors }: View, room: number): string[] {
  const lines = KEYS.map(([key, meaning]) => {
    const shown = shorten(meaning, top.size.columns - KEY_WIDTH - 2);
    return ` ${colors.bold(pad(key, KEY_WIDTH))} ${shown}`;
  });
  return lines.length < room ? ['', ...lines] : lines.slice(0, room);
}
