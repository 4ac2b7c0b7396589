import { attention } from '../../core/attention.ts';
import { runWord } from '../../core/run-word.ts';
import type { RunState, TaskState } from '../../core/state.ts';
import type { LiveAttempt } from '../../schema/overview.ts';
import { clockText, moneyText } from '../amounts.ts';
import { runMark, taskMark } from '../symbols.ts';
import { taskRow } from '../task-row.ts';
import { shorten, textWidth } from '../text-width.ts';
import { type Block, fitBlocks } from './blocks.ts';
import { tasksInOrder } from './rows.ts';
import { agoText, type Cell, rowLine, spread, type View } from './view.ts';

const MOST_WAITING = 3;
/** Below these a column is left out. */
const WITH_TITLE = 76;
const WITH_WHO = 44;
const STATE_WIDTH = 12;
const KEYS: Record<string, string> = {
  plan: 'a approves',
  held: 'a approves',
  paused: 'p goes on',
  blocked: 'r tries again',
};

/** The run, how far it is, and what in it waits for a person. */
export function runHead(view: View): string[] {
  const { top, colors } = view;
  const { state } = top;
  const { columns } = top.size;
  if (state === undefined) return [colors.dim(' Reading the run …')];
  const word = runWord(state);
  const { symbol, paint } = runMark(word, colors);
  const left = `${symbol} ${word}  ${state.start.title}`;
  const right = `${state.start.run}  ${timeOf(state, view)}`;
  return [
    spread(left, right, { columns, paint: { left: (text) => colors.bold(paint(text)), right: colors.dim } }),
    colors.dim(`  ${shorten(countsOf(state), columns - 3)}`),
    ...waitingLines(state, view),
  ];
}

/** Its tasks: how each stands, who works on it and what they do. */
export function runBody(view: View, room: number): string[] {
  const { top, colors, now } = view;
  const { state } = top;
  if (state === undefined) return [];
  const tasks = tasksInOrder(state, { filter: top.filters.run, room });
  if (tasks.length === 0 && top.filters.run !== '') return [' No task matches the filter. Esc shows all.'];
  if (tasks.length === 0) return [colors.dim(' No tasks yet.')];
  const live = new Map(top.runs?.get(state.start.run)?.live.map((attempt) => [attempt.task, attempt]) ?? []);
  const keyWidth = Math.min(
    tasks.reduce((width, { spec }) => Math.max(width, textWidth(spec.key)), 0),
    columnsForKey(view),
  );
  const blocks = tasks.map((task): Block => {
    const isChosen = task.spec.key === top.chosen.task;
    const draw = () => [rowLine(cellsOf(task, { view, live, keyWidth, state, now }), isChosen, view)];
    return { height: 1, isChosen, draw };
  });
  return fitBlocks(blocks, room);
}

type Drawing = { view: View; live: ReadonlyMap<string, LiveAttempt>; keyWidth: number; state: RunState; now: number };

function cellsOf(task: TaskState, { view, live, keyWidth, state, now }: Drawing): Cell[] {
  const { colors, top } = view;
  const { columns } = top.size;
  const row = taskRow(state, task, now);
  const { symbol, paint } = taskMark(task.phase.status, colors);
  const attempt = live.get(row.key);
  const warning = attempt?.warnings[0] === undefined ? '' : `! ${attempt.warnings[0].message}`;
  const words = [warning, row.detail, attempt?.activity ?? ''].filter((part) => part !== '').join('  ');
  const title = columns >= WITH_TITLE ? Math.floor((columns - keyWidth - STATE_WIDTH) * (words === '' ? 0.5 : 0.3)) : 0;
  const cells: Cell[] = [
    { text: `${symbol} ${task.phase.status}`, width: STATE_WIDTH, paint },
    { text: row.key, width: keyWidth },
    { text: row.title, width: columns >= WITH_TITLE ? Math.min(title, Math.floor(columns * 0.28)) : 0 },
    { text: row.who, width: columns >= WITH_WHO ? 12 : 0, paint: colors.cyan },
    { text: idle(view) ? '' : row.time, width: columns >= WITH_WHO ? 7 : 0, isRight: true, paint: colors.dim },
  ];
  const used = cells.reduce((sum, { width }) => sum + (width > 0 ? width + 2 : 0), 1);
  return [
    ...cells,
    { text: words, width: Math.max(columns - used, 0), paint: warning === '' ? colors.dim : colors.yellow },
  ];
}

/** Without an engine no clock of a run goes on. */
function idle({ top }: View): boolean {
  return top.engine === 'none' && top.state?.status.kind !== 'ended';
}

function columnsForKey({ top }: View): number {
  return top.size.columns >= WITH_TITLE ? 24 : 18;
}

function timeOf(state: RunState, view: View): string {
  const { status, startedAt, updatedAt } = state;
  if (status.kind === 'ended') return `took ${clockText(status.at - startedAt)}, ${agoText(view.now - status.at)}`;
  return idle(view) ? agoText(view.now - updatedAt) : clockText(view.now - startedAt);
}

function countsOf({ counts, order, spent, start, landed }: RunState): string {
  const base = start.base.branch ?? start.base.commit.slice(0, 8);
  return [
    `${counts.done} of ${order.length} done`,
    counts.running > 0 ? `${counts.running} running` : '',
    counts.failed > 0 ? `${counts.failed} failed` : '',
    spent.costUsd > 0 ? moneyText(spent.costUsd) : '',
    landed === null ? `${base} → mh/${start.run}` : `landed on ${landed.branch}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function waitingLines(state: RunState, { top, colors }: View): string[] {
  const waiting = attention(state);
  const shown = waiting.slice(0, waiting.length > MOST_WAITING ? MOST_WAITING - 1 : MOST_WAITING);
  const lines = shown.map(
    ({ task, what, reason }) => `! ${KEYS[what] ?? ''}: ${task === null ? '' : `${task}: `}${reason}`,
  );
  if (shown.length < waiting.length) lines.push(`! and ${waiting.length - shown.length} more wait for you`);
  return lines.map((line) => colors.yellow(shorten(line, top.size.columns - 1)));
}
