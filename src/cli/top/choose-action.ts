import type { TaskState } from '../../core/run/state.ts';
import { isInterrupted } from '../../core/view/open-run.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Action } from './action.ts';
import { currentRun, type Top } from './top-state.ts';

/** An action that applies to the selection, with the confirmation to ask for first (none if it is easily reverted); or why there is none. */
export type ActionChoice = { action: Action; question: string | null } | { refusal: string };

type Selection = { top: Top; run: RunOverview; task: TaskState | undefined };

const RETRYABLE: ReadonlySet<string> = new Set(['failed', 'blocked', 'skipped', 'cancelled', 'done']);
const OPEN: ReadonlySet<string> = new Set(['running', 'held', 'blocked', 'paused']);

/** The action of a key for the current selection. */
export function actionFor(letter: string, top: Top): ActionChoice | undefined {
  const choose = CHOICES[letter];
  if (choose === undefined) return undefined;
  const run = currentRun(top);
  if (run === undefined) return { refusal: 'No run is selected.' };
  const choice = choose({ top, run, task: currentTask(top) });
  if (!('action' in choice) || top.engine !== 'none') return choice;
  return {
    ...choice,
    question: `${choice.question ?? 'Continue?'} (no engine is running: this starts one in the background)`,
  };
}

/** The keys that apply to the current selection, each with its action. */
export function actionHints(top: Top): string[] {
  return Object.keys(CHOICES).flatMap((letter) => {
    const choice = actionFor(letter, top);
    return choice !== undefined && 'action' in choice ? [`${letter} ${choice.action.kind}`] : [];
  });
}

/** The current task: the open one, or the selected one. */
function currentTask({ page, state, selected }: Top): TaskState | undefined {
  if (page.kind === 'runs') return undefined;
  const key = page.kind === 'task' ? page.task : selected.task;
  return key === null ? undefined : state?.tasks[key];
}

/** The task that receives a message: the current one, else the only candidate. */
export function composeTarget(top: Top): { run: string; task: string } | { refusal: string } {
  const run = currentRun(top);
  if (run === undefined) return { refusal: 'No run is selected.' };
  const waiting = run.attention.flatMap(({ task }) => task ?? []);
  const [only, second] = run.liveCount > 0 ? run.live.map(({ task }) => task) : waiting;
  const task = top.page.kind === 'runs' ? (second === undefined ? only : undefined) : currentTask(top)?.spec.key;
  if (task === undefined) return { refusal: 'Open the run and select the task that receives the message.' };
  return { run: run.run, task };
}

const CHOICES: Record<string, (selection: Selection) => ActionChoice> = {
  a: chooseApprove,
  c: chooseCancel,
  r: chooseRetry,
  p: choosePause,
  l: chooseLand,
};

function chooseApprove({ run, task }: Selection): ActionChoice {
  if (task?.phase.status === 'held') {
    const { key } = task.spec;
    return { action: { kind: 'approve', run: run.run, task: key }, question: `Approve the held work of ${key}?` };
  }
  const [first, second] = run.attention.filter(({ what }) => what === 'plan' || what === 'held');
  if (first === undefined) {
    const isBlocked = run.attention.some(({ what }) => what === 'blocked');
    return { refusal: isBlocked ? 'It is blocked, not held: press r to retry.' : 'Nothing here waits for approval.' };
  }
  const what =
    first.what === 'plan'
      ? 'the plan of'
      : second === undefined
        ? `${first.task ?? 'the held work'} of`
        : 'all held work in';
  return { action: { kind: 'approve', run: run.run, task: null }, question: `Approve ${what} ${named(run)}?` };
}

function chooseCancel({ run }: Selection): ActionChoice {
  if (!OPEN.has(run.status)) return { refusal: `Run ${run.run} is ${run.status}: there is nothing to cancel.` };
  return {
    action: { kind: 'cancel', run: run.run },
    question: `Cancel ${named(run)}? Its work is kept.`,
  };
}

function chooseRetry({ top, run, task }: Selection): ActionChoice {
  if (top.page.kind !== 'runs' && task !== undefined) {
    const { status } = task.phase;
    const { key } = task.spec;
    if (!RETRYABLE.has(status)) return { refusal: `${key} is ${status}: there is nothing to retry yet.` };
    const more = status === 'done' ? ' All tasks that depend on it run again too.' : '';
    return { action: { kind: 'retry', run: run.run, task: key }, question: `Retry ${key}?${more}` };
  }
  const { failed = 0, blocked = 0, skipped = 0, cancelled = 0 } = run.counts;
  if (failed + blocked + skipped + cancelled === 0) return { refusal: 'No task of the run failed or is blocked.' };
  return { action: { kind: 'retry', run: run.run, task: null }, question: `Retry the failed tasks of ${named(run)}?` };
}

function choosePause({ top, run }: Selection): ActionChoice {
  if (!OPEN.has(run.status)) return { refusal: `Run ${run.run} is ${run.status}.` };
  const resume = { kind: 'resume' as const, run: run.run };
  if (run.attention.some(({ what }) => what === 'paused') || (isInterrupted(run) && top.engine !== 'none'))
    return { action: resume, question: null };
  if (top.engine === 'none') return { action: resume, question: `Resume ${named(run)}?` };
  return { action: { kind: 'pause', run: run.run }, question: null };
}

function chooseLand({ run }: Selection): ActionChoice {
  if (run.landed !== null && run.landed.how !== 'pr') return { refusal: `It has landed on ${run.landed.branch}.` };
  if (['running', 'needs-rerun', 'cancelling'].includes(run.status)) return { refusal: `It is still ${run.status}.` };
  if (run.branch === null) return { refusal: 'There is nothing to land.' };
  return { action: { kind: 'land', run: run.run }, question: `Land ${named(run)} on ${run.base ?? 'its base'}?` };
}

function named({ title, run }: RunOverview): string {
  return `“${title.length > 40 ? `${title.slice(0, 39)}…` : title}” (${run})`;
}
