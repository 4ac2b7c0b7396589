import { type AttemptState, lastAttempt, type TaskState } from '../../core/run/state.ts';
import { currentSteps, stepText } from '../../core/view/activity.ts';
import { moneyText, withLocalTimes } from '../../core/view/amounts.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { clockText } from '../render/amounts.ts';
import { taskMark, verdictMark } from '../render/symbols.ts';
import { taskRow } from '../render/task-row.ts';
import { shorten } from '../render/text-width.ts';
import { paintLine } from './transcript-line.ts';
import { isAtTop, type TranscriptView, visibleLines } from './transcript-view.ts';
import { agoText, spread, type View } from './view.ts';

/** The task, its agent, the verdicts of its checks and what it waits for. */
export function taskHead(view: View): string[] {
  const { top, colors, now } = view;
  const { columns } = top.size;
  const task = top.page.kind === 'task' ? top.state?.tasks[top.page.task] : undefined;
  if (task === undefined || top.state === undefined) return [colors.dim(' Loading the task…')];
  const { status } = task.phase;
  const { symbol, paint } = taskMark(status, colors);
  const left = `${symbol} ${status}  ${taskLabel(task.spec)}  ${task.spec.title}`;
  const overview = top.runs?.get(top.state.start.run);
  const steps = overview === undefined ? [] : currentSteps({ ...overview, live: [] });
  const step = steps.find(({ tasks }) => tasks.includes(task.spec.key));
  const { detail } = taskRow(top.state, task, now);
  return [
    spread(left, top.state.start.run, {
      columns,
      paint: { left: (text) => colors.bold(paint(text)), right: colors.dim },
    }),
    colors.dim(`  ${shorten(attemptText(task, view), columns - 3)}`),
    ...(task.evidence.length === 0 ? [] : [shownGates(task, view)]),
    ...(step === undefined ? [] : [colors.cyan(`  ${shorten(stepText(step, now, clockText), columns - 3)}`)]),
    ...(detail === '' ? [] : [colors.yellow(`  ${shorten(detail, columns - 3)}`)]),
    colors.dim('─'.repeat(columns)),
  ];
}

/** The live output of the agent. */
export function taskBody(view: View, rows: number): string[] {
  const { top, colors } = view;
  const { transcript } = top;
  if (!transcript.isLoaded) return [colors.dim(' Loading the output…')];
  if (transcript.rows.length === 0) return [colors.dim(' There is no output yet.')];
  const lines = visibleLines(transcript, transcriptView(view, rows));
  if (lines.length === 0) return [' No line matches the filter. Press Esc to show all.'];
  return lines.map((line) => paintLine(line, colors));
}

/** The scroll position in the output, for the bottom line. */
export function scrollText(view: View, rows: number): string {
  const { transcript } = view.top;
  if (transcript.anchor === null) return 'following the end';
  if (!isAtTop(transcript, transcriptView(view, rows))) return 'End to follow';
  return transcript.earlier > 0 ? 'loading earlier lines…' : 'at the beginning';
}

/** The size and the filter of the transcript on this screen. */
export function transcriptView({ top }: Pick<View, 'top'>, rows: number): TranscriptView {
  return { columns: top.size.columns, height: rows, filter: top.filters.task };
}

function attemptText(task: TaskState, view: View): string {
  const { top } = view;
  const number = top.page.kind === 'task' ? top.page.attempt : null;
  const attempt = number === null ? lastAttempt(task) : task.attempts[number - 1];
  if (attempt === undefined) return 'no attempt yet';
  const live = top.runs?.get(top.state?.start.run ?? '')?.live.find((entry) => entry.task === task.spec.key);
  const cost =
    attempt.ended === null ? live?.costUsd : attempt.usage.kind === 'known' ? attempt.usage.costUsd : undefined;
  return [
    `${attempt.agent}${attempt.account === null ? '' : ` (${attempt.account})`}`,
    `attempt ${attempt.number} of ${task.attempts.length}`,
    timeOf(attempt, view),
    cost == null || cost === 0 ? '' : moneyText(cost),
    attempt.ended !== null && attempt.usage.kind === 'unknown' ? 'usage unknown' : '',
    attempt.number > 1 ? withLocalTimes(attempt.because, view.now) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function timeOf({ startedAt, ended }: AttemptState, { top, now }: View): string {
  if (ended !== null) return `took ${clockText(ended.at - startedAt)}, ${agoText(now - ended.at)}`;
  return top.engine === 'none' ? '' : clockText(now - startedAt);
}

function shownGates(task: TaskState, { top, colors }: View): string {
  let available = top.size.columns - 3;
  const parts: string[] = [];
  for (const { gate, verdict } of task.evidence) {
    const name = shorten(gate, 32);
    available -= name.length + 4;
    if (available < 0) break;
    parts.push(`${verdictMark(verdict, colors)} ${name}`);
  }
  return `  ${parts.join('  ')}`;
}
