import type { Hold } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { openQuestions } from '../attempt/decide-question.ts';
import { type OpenHold, openTasks, type RunState } from '../run/state.ts';
import { openSubRuns } from '../run/sub-run-state.ts';
import { isFailed } from './failed-check.ts';
import { labelOf, taskArgument } from './task-label.ts';

/** Something that waits for the user, and the command that resolves it. */
export type Attention = {
  task: TaskKey | null;
  /** The id of the task for display. */
  label?: string;
  what: 'plan' | 'held' | 'blocked' | 'paused' | 'question';
  /** The id of the hold. */
  hold?: string;
  /** The answers to choose from, of a hold or of a question. */
  options?: { id: string; label: string; needsNote?: boolean | undefined }[];
  /** The id of the question. */
  question?: string;
  /** The sub-run that waits; it has the same in its own list. */
  subRun?: string;
  /** The track that is paused, where it is not the whole run. */
  track?: string;
  reason: string;
  files: string[];
  nextStep: string;
  /** Other commands that answer the hold. */
  alternatives?: { command: string; purpose: string }[];
};

/** More files than this make a command too long to read. */
const MOST_ALLOWED_FILES = 5;

/** What waits for the user in this run, in the order of its tasks. */
export function attention(state: RunState): Attention[] {
  const run = state.start.run;
  const waiting: Attention[] = [];
  if (state.status.kind === 'held') {
    const { what, reason, files } = state.status.hold;
    const nextStep = holdStep(state, state.status.hold);
    waiting.push({
      task: null,
      what: what === 'plan' ? 'plan' : 'held',
      ...idOf(state.status.hold),
      reason,
      files,
      nextStep,
      alternatives: otherAnswers(state, null, state.status.hold),
    });
  }
  for (const [track, reason] of state.status.kind === 'ended' ? [] : Object.entries(state.paused)) {
    const name = track === '' ? 'The run' : `Track ${track}`;
    const nextStep = `manyhands resume ${run}${track === '' ? '' : ` --track ${quoted(track)}`}`;
    const paused = { reason: `${name} is paused: ${reason}`, files: [], nextStep };
    waiting.push({ task: null, what: 'paused', ...(track === '' ? {} : { track }), ...paused });
  }
  const asking = new Set<TaskKey>();
  for (const { task, question } of openQuestions(state)) {
    if (!isWaitingFor(state, task)) continue;
    asking.add(task);
    const nextStep = `manyhands answer ${run} ${question.id} "<answer>"`;
    const asks = {
      what: 'question' as const,
      question: question.id,
      ...(question.options === undefined ? {} : { options: question.options.map((label) => ({ id: label, label })) }),
      reason: `Its agent asks: ${question.text}`,
      files: [],
      nextStep,
    };
    waiting.push({ task, label: labelOf(state, task), ...asks });
  }
  for (const { run: subRun, task, waitsFor } of openSubRuns(state)) {
    if (waitsFor === null) continue;
    const reason = `Its sub-run ${subRun} waits: ${waitsFor}`;
    const nextStep = `manyhands show ${subRun}`;
    waiting.push({ task, label: labelOf(state, task), what: 'blocked', subRun, reason, files: [], nextStep });
  }
  if (state.counts.held + state.counts.blocked === 0) return waiting;
  for (const key of state.order) {
    const phase = state.tasks[key]?.phase;
    const label = labelOf(state, key);
    if (phase?.status === 'held') {
      const { reason, files } = phase.hold;
      const nextStep = `manyhands diff ${run} ${taskArgument(state, key)}, then ${taskHoldStep(state, key, phase.hold)}`;
      const alternatives = otherAnswers(state, key, phase.hold);
      waiting.push({ task: key, label, what: 'held', ...idOf(phase.hold), reason, files, nextStep, alternatives });
    }
    if (phase?.status === 'blocked' && !asking.has(key)) {
      waiting.push({ task: key, label, what: 'blocked', reason: phase.reason, files: [], nextStep: phase.nextStep });
    }
  }
  return waiting;
}

/** A question of an ended task waits for nobody. */
function isWaitingFor({ tasks }: RunState, key: TaskKey): boolean {
  const status = tasks[key]?.phase.status;
  return status === 'running' || status === 'blocked';
}

/** The commands that answer a hold of the run; after a failed check, first the one that shows its output. */
export function holdStep(
  state: RunState,
  { what, options = [], nextStep }: Pick<Hold, 'what' | 'options' | 'nextStep'>,
): string {
  if (nextStep !== undefined) return nextStep;
  const { run } = state.start;
  const approve = options[0] === undefined ? `manyhands approve ${run}` : optionCommand(run, options[0].id);
  if (what === 'trouble') return `fix it, then ${approve}`;
  const isAboutCheck = what === 'base-red' || (what === 'landing' && state.landingEvidence.some(isFailed));
  return isAboutCheck ? `manyhands show ${run}, then ${approve}` : approve;
}

/** The command that approves held work of a task; of work held by the guard, also the setting that allows its files. */
export function taskHoldStep(state: RunState, task: TaskKey, { what, files }: Pick<Hold, 'what' | 'files'>): string {
  const { run, config } = state.start;
  const approve = `manyhands approve ${run} ${taskArgument(state, task)}`;
  if (what !== 'guard') return approve;
  if (files.length === 0 || files.length > MOST_ALLOWED_FILES)
    return `${approve}; later runs may change files that guards.allow lists`;
  const globs = files.map((path) => path.replaceAll(/[*?[\]{}()!\\]/g, '\\$&'));
  const list = JSON.stringify([...new Set([...config.guards.allow, ...globs])]).replaceAll("'", `'\\''`);
  return `${approve}; to allow it in later runs: manyhands config set guards.allow '${list}'`;
}

/** The answers to a hold besides approval. */
export function otherAnswers(
  state: RunState,
  task: TaskKey | null,
  { what, id, options = [] }: Pick<OpenHold, 'what' | 'options'> & { id?: string },
): { command: string; purpose: string }[] {
  const { run } = state.start;
  if (task !== null) {
    const command = `manyhands reject ${run} ${taskArgument(state, task)} --reason 'what to change'`;
    return [{ command, purpose: 'send it back to its agent' }];
  }
  const reject = `manyhands reject ${run}${id === undefined ? '' : ` --hold ${id}`}`;
  const others = options.slice(1).map((option) => ({ command: optionCommand(run, option.id), purpose: option.label }));
  if (what !== 'plan') return [...others, { command: `${reject} --reason 'why not'`, purpose: 'end the run' }];
  const edit = { command: `manyhands plan edit ${run}`, purpose: 'change the plan' };
  return [
    ...(options.length === 0 ? [edit] : others),
    { command: `${reject} --reason 'what to plan differently'`, purpose: 'plan again' },
  ];
}

function optionCommand(run: string, option: string): string {
  return `manyhands approve ${run} --option ${quoted(option)}`;
}

function idOf({ id, options }: OpenHold): Pick<Attention, 'hold' | 'options'> {
  return { hold: id, ...(options === undefined ? {} : { options }) };
}

/** Whether nothing can continue until the user acts. */
export function isStuck(state: RunState): boolean {
  if (state.status.kind === 'ended') return false;
  const moving = state.counts.running + state.counts.landing + state.counts.ready;
  if (state.status.kind === 'held') {
    return state.counts.running + (state.status.hold.what === 'trouble' ? 0 : state.counts.landing) === 0;
  }
  if (state.status.kind === 'cancelling') return false;
  const waiting = state.counts.held + state.counts.blocked;
  const subRuns = openSubRuns(state);
  if (subRuns.some(({ waitsFor }) => waitsFor === null)) return false;
  if (subRuns.length > 0 && openTasks(state) === 0) return true;
  if (Object.keys(state.paused).length > 0) {
    return state.counts.running + state.counts.landing === 0 && openTasks(state) > 0 && !hasUnpaused(state);
  }
  return waiting > 0 && moving === 0 && openTasks(state) > 0;
}

/** Whether tasks of this track must not start. */
export function isPaused(state: RunState, track: string | undefined): boolean {
  return '' in state.paused || (track !== undefined && track in state.paused);
}

function hasUnpaused(state: RunState): boolean {
  if (state.counts.ready === 0) return false;
  return state.order.some((key) => {
    const task = state.tasks[key];
    return task?.phase.status === 'ready' && !isPaused(state, task.spec.track);
  });
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
}
