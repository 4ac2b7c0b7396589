import type { TaskState } from '../../core/run/state.ts';
import { isInterrupted } from '../../core/view/run-status.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Action } from './action.ts';
import { overviewAt, type Top } from './top.ts';

/** A deed that makes sense where the person is, with the question to ask first (none for what is easily taken back); or why there is none. */
export type ActionChoice = { deed: Action; question: string | null } | { refusal: string };

type Place = { top: Top; run: RunOverview; task: TaskState | undefined };

const AGAIN: ReadonlySet<string> = new Set(['failed', 'blocked', 'skipped', 'cancelled', 'done']);
const OPEN: ReadonlySet<string> = new Set(['running', 'held', 'blocked', 'paused']);

/** What the key of a deed means where the person is. */
export function actionFor(letter: string, top: Top): ActionChoice | undefined {
  const choose = CHOICES[letter];
  if (choose === undefined) return undefined;
  const run = overviewAt(top);
  if (run === undefined) return { refusal: 'There is no run under the cursor.' };
  const choice = choose({ top, run, task: taskAt(top) });
  if (!('deed' in choice) || top.engine !== 'none') return choice;
  return { ...choice, question: `${choice.question ?? 'Go on?'} (nothing is running: it is done in the background)` };
}

/** The keys whose deeds make sense where the person is, with what each does. */
export function actionHints(top: Top): string[] {
  return Object.keys(CHOICES).flatMap((letter) => {
    const choice = actionFor(letter, top);
    return choice !== undefined && 'deed' in choice ? [`${letter} ${choice.deed.kind}`] : [];
  });
}

/** The task that the person is at: the open one, or the one under the cursor. */
function taskAt({ page, state, chosen }: Top): TaskState | undefined {
  if (page.kind === 'runs') return undefined;
  const key = page.kind === 'task' ? page.task : chosen.task;
  return key === null ? undefined : state?.tasks[key];
}

/** The task that a message goes to: the one that the person is at, else the only one that could be meant. */
export function messageTaskAt(top: Top): { run: string; task: string } | { refusal: string } {
  const run = overviewAt(top);
  if (run === undefined) return { refusal: 'There is no run under the cursor.' };
  const waiting = run.attention.flatMap(({ task }) => task ?? []);
  const [only, second] = run.liveCount > 0 ? run.live.map(({ task }) => task) : waiting;
  const task = top.page.kind === 'runs' ? (second === undefined ? only : undefined) : taskAt(top)?.spec.key;
  if (task === undefined) return { refusal: 'Open the run and choose the task that the message is for.' };
  return { run: run.run, task };
}

const CHOICES: Record<string, (place: Place) => ActionChoice> = {
  a: chooseApprove,
  c: chooseCancel,
  r: chooseRetry,
  p: choosePause,
  l: chooseLand,
};

function chooseApprove({ run, task }: Place): ActionChoice {
  if (task?.phase.status === 'held') {
    const { key } = task.spec;
    return { deed: { kind: 'approve', run: run.run, task: key }, question: `Approve the held work of ${key}?` };
  }
  const [first, second] = run.attention.filter(({ what }) => what === 'plan' || what === 'held');
  if (first === undefined) {
    const isBlocked = run.attention.some(({ what }) => what === 'blocked');
    return { refusal: isBlocked ? 'It is blocked, not held: r tries it again.' : 'Nothing here waits for approval.' };
  }
  const what =
    first.what === 'plan'
      ? 'the plan of'
      : second === undefined
        ? `${first.task ?? 'what is held'} of`
        : 'all that is held in';
  return { deed: { kind: 'approve', run: run.run, task: null }, question: `Approve ${what} ${named(run)}?` };
}

function chooseCancel({ run }: Place): ActionChoice {
  if (!OPEN.has(run.status)) return { refusal: `Run ${run.run} is ${run.status}: there is nothing to cancel.` };
  return {
    deed: { kind: 'cancel', run: run.run },
    question: `Cancel ${named(run)}? Everything it made is kept.`,
  };
}

function chooseRetry({ top, run, task }: Place): ActionChoice {
  if (top.page.kind !== 'runs' && task !== undefined) {
    const { status } = task.phase;
    const { key } = task.spec;
    if (!AGAIN.has(status)) return { refusal: `${key} is ${status}: there is nothing to try again yet.` };
    const more = status === 'done' ? ' All that was built upon it is done again too.' : '';
    return { deed: { kind: 'retry', run: run.run, task: key }, question: `Try ${key} again?${more}` };
  }
  const { failed = 0, blocked = 0, skipped = 0, cancelled = 0 } = run.counts;
  if (failed + blocked + skipped + cancelled === 0) return { refusal: 'No task of it failed or is blocked.' };
  return { deed: { kind: 'retry', run: run.run, task: null }, question: `Try again what failed in ${named(run)}?` };
}

function choosePause({ top, run }: Place): ActionChoice {
  if (!OPEN.has(run.status)) return { refusal: `Run ${run.run} is ${run.status}.` };
  const resume = { kind: 'resume' as const, run: run.run };
  if (run.attention.some(({ what }) => what === 'paused') || (isInterrupted(run) && top.engine !== 'none'))
    return { deed: resume, question: null };
  if (top.engine === 'none') return { deed: resume, question: `Go on with ${named(run)}?` };
  return { deed: { kind: 'pause', run: run.run }, question: null };
}

function chooseLand({ run }: Place): ActionChoice {
  if (run.landed !== null && run.landed.how !== 'pr') return { refusal: `It has landed on ${run.landed.branch}.` };
  if (run.status === 'running' || run.status === 'cancelling') return { refusal: `It is still ${run.status}.` };
  if (run.branch === null) return { refusal: 'There is nothing to land.' };
  return { deed: { kind: 'land', run: run.run }, question: `Land ${named(run)} on ${run.base ?? 'its base'}?` };
}

function named({ title, run }: RunOverview): string {
  return `“${title.length > 40 ? `${title.slice(0, 39)}…` : title}” (${run})`;
}
