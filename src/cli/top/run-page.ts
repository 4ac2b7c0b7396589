import type { RunState, TaskState } from '../../core/run/state.ts';
import { type CurrentStep, currentSteps, stepText, waitText } from '../../core/view/activity.ts';
import { attention } from '../../core/view/attention.ts';
import { costOf, costText, hasCost } from '../../core/view/cost-text.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { LiveAttempt, RunOverview } from '../../schema/overview.ts';
import { clockText } from '../render/amounts.ts';
import { runMark, shownStatus, taskMark } from '../render/symbols.ts';
import { type TaskRow, taskRow } from '../render/task-row.ts';
import { shorten, textWidth } from '../render/text-width.ts';
import { type Block, fitBlocks } from './blocks.ts';
import { tasksInOrder } from './rows.ts';
import { agoText, type Cell, rowLine, spread, type View } from './view.ts';

const MOST_WAITING = 3;
/** Terminal widths below which a column is omitted. */
const WITH_TITLE = 76;
const WITH_WHO = 44;
const STATE_WIDTH = 13;
const TIME_WIDTH = 7;
/** The width of ` #2` after an agent's name. */
const NUMBER_WIDTH = 3;
const KEYS: Record<string, string> = {
  plan: 'a to approve',
  held: 'a to approve',
  paused: 'p to resume',
  blocked: 'r to retry',
};

/** The run, its progress, and what waits for the user. */
export function runHead(view: View): string[] {
  const { top, colors } = view;
  const { state } = top;
  const { columns } = top.size;
  if (state === undefined) return [colors.dim(' Loading the run…')];
  const overview = top.runs?.get(state.start.run);
  const { carried, waitsFor } = overview ?? {};
  const status = shownStatus({ status: runStatus(state), carried, waitsFor });
  const { symbol, paint } = runMark(status, colors);
  const left = `${symbol} ${status}  ${state.start.title}`;
  const right = `${state.start.run}  ${timeOf(state, view)}`;
  return [
    spread(left, right, { columns, paint: { left: (text) => colors.bold(paint(text)), right: colors.dim } }),
    colors.dim(`  ${shorten(countsOf(state), columns - 3)}`),
    ...currentLines(overview, view),
    ...waitingLines(state, view),
  ];
}

/** What the run waits for, or what is done for it as a whole. */
function currentLines(overview: RunOverview | undefined, { top, colors, now }: View): string[] {
  if (overview === undefined || overview.endedAt !== null) return [];
  const steps = currentSteps({ ...overview, live: [] }).filter(({ tasks }) => tasks.length === 0);
  const texts =
    overview.waitsFor === null
      ? steps.map((step) => stepText(step, now, clockText))
      : [waitText(overview.waitsFor, now)];
  return texts.map((text) => colors.cyan(`  ${shorten(text, top.size.columns - 3)}`));
}

/** The tasks of the run: status, agent and activity. */
export function runBody(view: View, rows: number): string[] {
  const { top, colors, now } = view;
  const { state } = top;
  if (state === undefined) return [];
  const tasks = tasksInOrder(state, { filter: top.filters.run, rows });
  if (tasks.length === 0 && top.filters.run !== '') return [' No task matches the filter. Press Esc to show all.'];
  if (tasks.length === 0) return [colors.dim(' No tasks yet.')];
  const overview = top.runs?.get(state.start.run);
  const live = new Map(overview?.live.map((attempt) => [attempt.task, attempt]) ?? []);
  const steps = overview === undefined ? [] : currentSteps({ ...overview, live: [] });
  const widths = widthsOf(tasks, top.size.columns);
  const blocks = tasks.map((task): Block => {
    const isSelected = task.spec.key === top.selected.task;
    const { key } = task.spec;
    const step = steps.find(({ tasks: of }) => of.includes(key));
    const cells = () => cellsOf(task, { view, widths, row: taskRow(state, task, now), live: live.get(key), step });
    return { height: 1, isSelected, draw: () => [rowLine(cells(), isSelected, view)] };
  });
  return fitBlocks(blocks, rows);
}

type Widths = { key: number; title: number; who: number; time: number };
type Drawing = {
  view: View;
  widths: Widths;
  row: TaskRow;
  live: LiveAttempt | undefined;
  step: CurrentStep | undefined;
};

/** The same widths for all tasks, so that columns are aligned. */
function widthsOf(tasks: TaskState[], columns: number): Widths {
  const longest = longestOf(tasks);
  const hasTitles = columns >= WITH_TITLE;
  return {
    key: Math.min(longest.key, hasTitles ? 24 : 18),
    title: hasTitles ? Math.min(longest.title, Math.floor(columns * 0.3)) : 0,
    who: columns >= WITH_WHO ? Math.min(longest.who, 14) : 0,
    time: columns >= WITH_WHO ? TIME_WIDTH : 0,
  };
}

type Longest = { key: number; title: number; who: number };

/** Measured once per list of tasks. */
const measured = new WeakMap<TaskState[], Longest>();

function longestOf(tasks: TaskState[]): Longest {
  const known = measured.get(tasks);
  if (known !== undefined) return known;
  const longest = { key: 0, title: 0, who: 0 };
  for (const { spec, attempts } of tasks) {
    const agent = attempts.at(-1)?.agent;
    longest.key = Math.max(longest.key, textWidth(taskLabel(spec)));
    longest.title = Math.max(longest.title, textWidth(spec.title));
    longest.who = Math.max(longest.who, agent === undefined ? 0 : textWidth(agent) + NUMBER_WIDTH);
  }
  measured.set(tasks, longest);
  return longest;
}

function cellsOf(task: TaskState, { view, widths, row, live, step }: Drawing): Cell[] {
  const { colors, top } = view;
  const { symbol, paint } = taskMark(task.phase.status, colors);
  const warning = live?.warnings[0] === undefined ? '' : `! ${live.warnings[0].message}`;
  const doing = step === undefined ? (live?.activity ?? '') : stepText(step, view.now, clockText);
  const detail = [warning, row.detail, doing].filter((part) => part !== '').join(' · ');
  return [
    { text: `${symbol} ${task.phase.status}`, width: STATE_WIDTH, paint },
    { text: row.label, width: widths.key },
    { text: row.title, width: widths.title },
    { text: row.who, width: widths.who, paint: colors.cyan },
    { text: isIdle(view) ? '' : row.time, width: widths.time, isRight: true, paint: colors.dim },
    { text: detail, width: top.size.columns, paint: warning === '' ? colors.dim : colors.yellow },
  ];
}

/** Whether no engine is running the run, so that its clocks do not advance. */
function isIdle({ top }: View): boolean {
  if (top.state === undefined || top.state.status.kind === 'ended') return false;
  return top.engine === 'none' || top.runs?.get(top.state.start.run)?.carried === false;
}

function timeOf(state: RunState, view: View): string {
  const { status, startedAt, updatedAt } = state;
  if (status.kind === 'ended') return `took ${clockText(status.at - startedAt)}, ${agoText(view.now - status.at)}`;
  return isIdle(view) ? agoText(view.now - updatedAt) : clockText(view.now - startedAt);
}

function countsOf(state: RunState): string {
  const { counts, order, start, landed } = state;
  const base = start.base.branch ?? start.base.commit.slice(0, 8);
  return [
    `${counts.done} of ${order.length} done`,
    counts.running > 0 ? `${counts.running} running` : '',
    counts.failed > 0 ? `${counts.failed} failed` : '',
    hasCost(costOf(state)) ? costText(costOf(state)) : '',
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
  if (shown.length < waiting.length) lines.push(`! and ${waiting.length - shown.length} more waiting for you`);
  return lines.map((line) => colors.yellow(shorten(line, top.size.columns - 1)));
}
