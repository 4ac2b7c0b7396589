import { commandChecks } from '../../gates/gate-kinds.ts';
import { lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { taskLabel } from '../view/task-label.ts';

/** A longer summary is a report; the run has it whole. */
const SUMMARY_CHARS = 2_000;
const MOST_TASKS = 50;

/** The message of a commit with the work of a task: what was done by the agent's own summary, why, which checks it needs to land, and the trailers. */
export function workMessage(
  state: RunState,
  task: TaskState,
  { summary, trailers, chainHead }: { summary: string; trailers: readonly string[]; chainHead: string },
): string {
  const { run, title } = state.start;
  const checks = commandChecks(task.spec.gates);
  const required =
    checks.length === 0 ? 'No check is required to land.' : `Checks required to land: ${checks.join('; ')}`;
  const request = title === task.spec.title ? '' : `, requested as: ${inertText(title)}`;
  return paragraphs([
    task.spec.title,
    inertText(summary),
    `Task ${taskLabel(task.spec)} of run ${run}${request}\n${inertText(required)}`,
    [...trailers, `Manyhands-Run: ${run}`, `Manyhands-Task: ${task.spec.key}`, ...auditTrailer(chainHead)].join('\n'),
  ]);
}

/** The message of a merge that brings the work of a task to the run branch. */
export function taskMergeMessage(state: RunState, task: TaskState, chainHead: string): string {
  const summary = lastAttempt(task)?.ended?.summary ?? '';
  return `Merge: ${workMessage(state, task, { summary, trailers: [], chainHead })}`;
}

/** The trailer with the head of the run's event chain when the commit was made; `manyhands audit verify --commit` reads it. */
export const AUDIT_TRAILER = 'Manyhands-Audit';

function auditTrailer(chainHead: string): string[] {
  return chainHead === '' ? [] : [`${AUDIT_TRAILER}: ${chainHead}`];
}

/** The message of the merge that brings a run to its base: each landed task, and the checks that passed on the branch. */
export function runMergeMessage(state: RunState, chainHead: string): string {
  const { run, title } = state.start;
  const landed = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.phase.status === 'done' && task.phase.commit !== null ? [task] : [];
  });
  const lines = landed.slice(0, MOST_TASKS).map((task) => {
    const [first = ''] = inertText(lastAttempt(task)?.ended?.summary ?? '').split('\n');
    return `- ${inertText(task.spec.title)}${first === '' ? '' : `: ${first}`}`;
  });
  const left = landed.length - lines.length;
  const passed = Object.values(state.proven).filter(({ tree }) => tree === state.tip.tree);
  const checks = [...new Set(passed.map(({ gate }) => gate))];
  return paragraphs([
    `Merge mh/${run}: ${title}`,
    [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n'),
    inertText(
      checks.length === 0 ? 'No check ran on the branch.' : `Checks passed on the branch: ${checks.join('; ')}`,
    ),
    [`Manyhands-Run: ${run}`, ...auditTrailer(chainHead)].join('\n'),
  ]);
}

function paragraphs(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A line that git or a forge reads as a trailer; ours are added by us. */
const TRAILER =
  /^[ \t]*(?:[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*-(?:by|id|on|as|to|checks?|url|change)|Manyhands-\S*|[A-Z][A-Za-z0-9]*(?:-[A-Z][A-Za-z0-9]*)+|BREAKING CHANGE|cc|bug|issue|close[sd]?|fix(?:e[sd])?|resolve[sd]?)[ \t]*:.*$/gim;
/** Marks in brackets that switch off continuous integration or deployments. */
const SKIP_MARK = /\[[^\]\n]{0,60}\b(?:skip|no|ci)\b[^\]\n]{0,60}\]|\*{3}\s*NO_CI\s*\*{3}/gi;
/** Lines at which `git am` ends a message. */
const PATCH_LINE = /^(?=---|diff |Index: |From |>8|-- $)/gm;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const INVISIBLE = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}/gu;

/** A text of an agent in which nothing has a meaning to git or a forge: no trailers, references, mentions, closing keywords or marks. */
export function inertText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(INVISIBLE, '')
    .replaceAll(TRAILER, '')
    .replaceAll(SKIP_MARK, '')
    .replaceAll(/\bBREAKING[ -]CHANGE\b/g, 'breaking change')
    .replaceAll(/^[ \t]*#+[ \t]*/gm, '')
    .replaceAll(/ ?(?:#(?=\w)|!(?=\d))/g, ' ')
    .replaceAll(/\bGH-(?=\d)/gi, 'GH ')
    .replaceAll(/https?:\/\/(?=\S*\/(?:issues|pull|pulls|merge_requests|work_items|pull-requests)\/)/gi, '')
    .replaceAll(/(^|[^\w.])@(?=\w)/gm, '$1')
    .replaceAll(PATCH_LINE, '  ')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, SUMMARY_CHARS)
    .trimEnd();
}
