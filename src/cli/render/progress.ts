import type { RunState, TaskState, TaskStatus } from '../../core/run/state.ts';
import { type CurrentActivity, type CurrentStep, currentSteps, stepText, waitText } from '../../core/view/activity.ts';
import { attention } from '../../core/view/attention.ts';
import { costOf, costText, hasCost } from '../../core/view/cost-text.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { labelOf } from '../../core/view/task-label.ts';
import type { Evidence } from '../../schema/gate.ts';
import { clockText } from './amounts.ts';
import { type Painter, runMark, shownStatus, taskMark, verdictMark } from './symbols.ts';
import { type TaskRow, taskRow } from './task-row.ts';
import { pad, shorten, textWidth } from './text-width.ts';

/** What the progress of a run is drawn with. */
export type ProgressView = {
  columns: number;
  rows: number;
  now: number;
  /** The last output of each task's agent. */
  lastOutput: ReadonlyMap<string, string>;
  colors: Painter;
  /** What is done now and what the run waits for, besides what its events tell. */
  current: CurrentActivity;
};

type Widths = { key: number; title: number; who: number; time: number };

/** Terminal widths below which a column is omitted. */
const WITH_TITLE = 72;
const WITH_WHO = 44;
const MOST_ATTENTION = 5;

/** Tasks with a lower rank are shown first when not all fit. */
const RANK: Record<TaskStatus, number> = {
  held: 0,
  blocked: 0,
  failed: 1,
  running: 1,
  conflicted: 2,
  landing: 2,
  verifying: 2,
  analyzing: 2,
  ready: 3,
  waiting: 4,
  done: 5,
  skipped: 6,
  cancelled: 6,
};

/** A run as lines that fit the view: what needs the user first, then its tasks. */
export function progressLines(state: RunState, view: ProgressView): string[] {
  const head = [headLine(state, view), countLine(state, view), ...currentLines(view), ...attentionLines(state, view)];
  const available = Math.max(view.rows - head.length - 1, 1);
  const { shown, hidden } = chooseTasks(state, available);
  const rows = shown.map((task) => ({ task, row: taskRow(state, task, view.now) }));
  const widths = widthsOf(
    rows.map(({ row }) => row),
    view.columns,
  );
  const steps = currentSteps({ ...view.current, live: [] });
  const lines = rows.map(({ task, row }) => rowLine(task, row, { view, widths, steps }));
  return [...head, ...lines, ...(hidden === '' ? [] : [view.colors.dim(`  ${shorten(hidden, view.columns - 3)}`)])];
}

function headLine(state: RunState, { columns, now, colors, current }: ProgressView): string {
  const { symbol, paint } = runMark(shownStatus({ status: runStatus(state), waitsFor: current.waitsFor }), colors);
  const end = state.status.kind === 'ended' ? state.status.at : now;
  const tail = `${state.start.run} ${clockText(end - state.startedAt)}`;
  const title = pad(state.start.title, columns - textWidth(tail) - 4);
  return `${paint(symbol)} ${colors.bold(title)} ${colors.dim(tail)}`;
}

function countLine(state: RunState, { columns, colors, current }: ProgressView): string {
  const { counts, order, start } = state;
  const parts = [
    shownStatus({ status: runStatus(state), waitsFor: current.waitsFor }),
    `${counts.done} of ${order.length} done`,
    counts.running > 0 ? `${counts.running} running` : '',
    counts.failed > 0 ? `${counts.failed} failed` : '',
    hasCost(costOf(state)) ? costText(costOf(state)) : '',
    `${start.base.branch ?? start.base.commit.slice(0, 8)} → mh/${start.run}`,
  ];
  return colors.dim(`  ${shorten(parts.filter((part) => part !== '').join(' · '), columns - 3)}`);
}

/** What the run waits for, or what is done for it as a whole; what is done for a task is in its row. */
function currentLines({ columns, now, colors, current }: ProgressView): string[] {
  const { waitsFor } = current;
  if (waitsFor !== null) return [colors.blue(`  ${shorten(waitText(waitsFor, now), columns - 3)}`)];
  const steps = currentSteps(current).filter(({ tasks }) => tasks.length === 0);
  return steps.map((step) => colors.cyan(`  ${shorten(stepText(step, now, clockText), columns - 3)}`));
}

function attentionLines(state: RunState, { columns, colors }: ProgressView): string[] {
  const waiting = attention(state);
  const lines = waiting
    .slice(0, MOST_ATTENTION)
    .flatMap(({ task, reason, nextStep }) => [
      colors.yellow(
        `! ${shorten(`${task === null ? 'the run' : labelOf(state, task)} needs you: ${reason}`, columns - 3)}`,
      ),
      `  ${colors.dim('→')} ${shorten(nextStep, columns - 5)}`,
    ]);
  if (waiting.length > MOST_ATTENTION) lines.push(colors.yellow(`! and ${waiting.length - MOST_ATTENTION} more`));
  return lines;
}

function chooseTasks(state: RunState, available: number): { shown: TaskState[]; hidden: string } {
  const tasks = state.order.flatMap((key) => state.tasks[key] ?? []);
  if (tasks.length <= available) return { shown: tasks, hidden: '' };
  const ranked = [...tasks].sort((a, b) => RANK[a.phase.status] - RANK[b.phase.status] || recency(a, b));
  const shown = new Set(ranked.slice(0, Math.max(available - 1, 1)));
  const hidden = new Map<string, number>();
  for (const { phase } of ranked.slice(shown.size)) hidden.set(phase.status, (hidden.get(phase.status) ?? 0) + 1);
  const counts = [...hidden].map(([status, count]) => `${count} ${status}`).join(', ');
  return { shown: tasks.filter((task) => shown.has(task)), hidden: `… and ${counts}` };
}

function recency(a: TaskState, b: TaskState): number {
  const isOver = 'at' in a.phase && 'at' in b.phase;
  return isOver ? b.ordinal - a.ordinal : a.ordinal - b.ordinal;
}

function widthsOf(rows: readonly TaskRow[], columns: number): Widths {
  const longest = (pick: (row: TaskRow) => string, most: number) =>
    Math.min(
      rows.reduce((width, row) => Math.max(width, textWidth(pick(row))), 0),
      most,
    );
  const key = longest((row) => row.label, columns >= WITH_TITLE ? 24 : 18);
  const title = columns >= WITH_TITLE ? longest((row) => row.title, Math.floor((columns - key) * 0.4)) : 0;
  const who = columns >= WITH_WHO ? longest((row) => row.who, 14) : 0;
  return { key, title, who, time: columns >= WITH_WHO ? longest((row) => row.time, 8) : 0 };
}

type Drawing = { view: ProgressView; widths: Widths; steps: readonly CurrentStep[] };

function rowLine(task: TaskState, row: TaskRow, { view, widths, steps }: Drawing): string {
  const { colors, columns, lastOutput } = view;
  const { symbol, paint } = taskMark(task.phase.status, colors);
  const cells = [
    { text: row.label, width: widths.key, paint: task.phase.status === 'waiting' ? colors.dim : colors.bold },
    { text: row.title, width: widths.title, paint: (text: string) => text },
    { text: row.who, width: widths.who, paint: colors.cyan },
    { text: row.time.padStart(widths.time), width: widths.time, paint: colors.dim },
  ].filter(({ width }) => width > 0);
  const used = cells.reduce((sum, { width }) => sum + width + 2, 2);
  const step = steps.find(({ tasks }) => tasks.includes(task.spec.key));
  const output = task.phase.status === 'running' ? lastOutput.get(task.spec.key) : undefined;
  const shown = step === undefined ? (output === undefined ? '' : `“${output}”`) : stepText(step, view.now, clockText);
  const text = [row.detail, shown].filter((part) => part !== '').join(' ');
  const detail = shorten(text, columns - used - 1);
  const gates = gatesText(row.gates, { available: columns - used - textWidth(detail) - 1, colors });
  const line = cells.map(({ text, width, paint: color }) => color(padTime(text, width))).join('  ');
  return `${paint(symbol)} ${line}  ${gates}${detail === '' ? '' : colors.dim(detail)}`.trimEnd();
}

/** Like pad, but keeps the leading spaces of a right-aligned time. */
function padTime(text: string, width: number): string {
  return text.startsWith(' ') ? text : pad(text, width);
}

/** The verdicts that fit beside the detail. */
function gatesText(gates: readonly Evidence[], { available, colors }: { available: number; colors: Painter }): string {
  let text = '';
  let width = 0;
  for (const { gate, verdict } of gates) {
    const name = shorten(gate, 24);
    width += textWidth(name) + 4;
    if (width > available) break;
    text += `${verdictMark(verdict, colors)} ${name}  `;
  }
  return text;
}
