import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../core/run/state.ts';
import { chargeOf } from '../core/schedule/budget.ts';
import type { RunDocument } from '../schema/document.ts';
import { type Block, code, list, paragraph, table } from './page.ts';

/** More tasks than this are only counted by their row in the table. */
const MAX_DETAILS = 100;
const OUTPUT_CHARS = 4_000;

/** The tasks of a run: all in a table, then each with its attempts, its final message and what its checks found. */
export function taskBlocks(state: RunState, { tasks }: RunDocument): Block[] {
  const rows = tasks.map((task) => [
    code(task.key),
    task.title,
    task.status,
    task.agent ?? '',
    String(task.attempts),
    `${task.cost.toFixed(2)} USD`,
  ]);
  const details = state.order.slice(0, MAX_DETAILS).flatMap((key) => {
    const task = state.tasks[key];
    return task === undefined || task.attempts.length === 0 ? [] : taskDetails(task);
  });
  return [...table(['task', 'title', 'status', 'agent', 'attempts', 'cost'], rows), ...details];
}

function taskDetails(task: TaskState): Block[] {
  const { key, title } = task.spec;
  const finalMessage = lastAttempt(task)?.ended?.summary ?? '';
  return [
    { kind: 'heading', level: 3, text: `${key}: ${title}` },
    ...list(task.attempts.map((attempt) => [attemptText(attempt)])),
    ...(finalMessage.trim() === ''
      ? []
      : [paragraph('The final message of the agent (its own claim, no evidence):'), quote(finalMessage)]),
    ...task.evidence.flatMap(({ gate, verdict, summary, output, stale }) => [
      paragraph(code(gate), `: ${verdict}${stale === true ? ' (stale)' : ''}: ${summary}`),
      ...(verdict === 'pass' || output === undefined || output.trim() === '' ? [] : [outputBlock(output)]),
    ]),
  ];
}

function attemptText(attempt: AttemptState): string {
  const { number, agent, because, ended, usage, reservation } = attempt;
  const cost =
    ended === null
      ? ''
      : `, ${chargeOf(usage, reservation).costUsd.toFixed(2)} USD${usage.kind === 'unknown' ? ' (as set aside)' : ''}`;
  const model = usage.kind === 'known' && usage.model !== undefined ? ` (${usage.model})` : '';
  const outcome =
    ended === null
      ? 'under way'
      : ended.failure === null
        ? 'ended'
        : `failed: ${ended.failure.kind}: ${ended.failure.message}`;
  return `attempt ${number} by ${agent}${model}${cost}: ${outcome}; chosen because ${because}`;
}

function quote(text: string): Block {
  return { kind: 'quote', text: text.slice(0, OUTPUT_CHARS) };
}

/** The end of what a check printed, where the failure usually is. */
function outputBlock(output: string): Block {
  const end = output.slice(-OUTPUT_CHARS);
  const left = output.length - end.length;
  return { kind: 'code', text: left > 0 ? `… (${left} characters before)\n${end}` : end };
}
