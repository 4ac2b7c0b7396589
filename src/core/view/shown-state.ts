import { isSatisfied } from '../../gates/gate-kinds.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { redactForms, redactValue } from '../redact.ts';
import { type KeptEvidence, type OutputReader, wholeEvidence } from '../run/evidence-output.ts';
import type { AttemptState, RunState, TaskPhase, TaskState } from '../run/state.ts';

const LONGEST_TEXT = 300;
/** For texts that occur many times. */
const LONGEST_OF_MANY = 100;
/** From this many tasks on, gates are not sent with each task; their evidence is. */
const MANY_TASKS = 1_000;
/** The limit for holds and blocks, which a person must be able to read completely. */
const LONGEST_REASON = 2_000;
const LARGEST_VALUE = 4_000;
/** The end of a failed check's output: some lines. */
const LONGEST_OUTPUT = 600;

/**
 * The state as it is sent to viewers, small even for ten thousand tasks. Everything that `evolve` reads is in it,
 * so events can be folded onto it as onto the full state.
 */
export function shownState(state: RunState): RunState {
  const { start } = state;
  const tasks: RunState['tasks'] = {};
  const isMany = state.order.length >= MANY_TASKS;
  const isPlan = !isMany && state.status.kind === 'held' && state.status.hold.what === 'plan';
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task !== undefined) tasks[key] = shownTask(task, { isMany, isPlanned: isPlan && task.attempts.length === 0 });
  }
  return {
    ...state,
    start: { ...start, input: redactValue(smallValue(start.input), redactForms) },
    tasks,
    calls: Object.fromEntries(Object.entries(state.calls).map(([id, call]) => [id, shownCall(call)])),
    baseEvidence: state.baseEvidence?.map(shownEvidence) ?? null,
    ...(state.baseFailures === undefined ? {} : { baseFailures: state.baseFailures.map(shownEvidence) }),
    landingEvidence: state.landingEvidence.map(shownEvidence),
    proven: {},
  };
}

/** A state that came from another process of the same version. */
export function asRunState(value: unknown): RunState {
  if (isRunState(value)) return value;
  throw new TypeError('This is not the state of a run');
}

/** A task that came from another process of the same version. */
export function asTaskState(value: unknown): TaskState {
  if (isTaskState(value)) return value;
  throw new TypeError('This is not the state of a task');
}

/** A complete task, without the secret tokens of its processes and secrets in its texts. */
export function wholeTask(task: TaskState, read: OutputReader): TaskState {
  const attempts = task.attempts.map((attempt) => ({ ...attempt, process: withoutToken(attempt.process) }));
  const messages = task.messages.map((sent) => ({ ...sent, message: redactForms(sent.message) }));
  const whole = (evidence: KeptEvidence) => wholeEvidence(evidence, read);
  return {
    ...task,
    spec: { ...task.spec, prompt: redactForms(task.spec.prompt) },
    attempts,
    messages,
    evidence: task.evidence.map(whole),
    ...(task.earlierEvidence === undefined ? {} : { earlierEvidence: task.earlierEvidence.map(whole) }),
  };
}

/** `isPlanned`: part of a plan that a person reads before they approve it. */
type Shown = { isMany: boolean; isPlanned: boolean };

function shownTask(task: TaskState, { isMany, isPlanned }: Shown): TaskState {
  const prompt = isPlanned ? redactForms(task.spec.prompt) : '';
  return {
    ...task,
    spec: { ...shownSpec(task.spec), prompt, ...(isMany ? { gates: [] } : {}) },
    attempts: task.attempts.map(shownAttempt),
    lesson: cut(task.lesson),
    report: cut(task.report),
    messages: task.messages.map((sent) => ({ ...sent, message: cutText(redactForms(sent.message)), comments: [] })),
    evidence: task.evidence.map(shownEvidence),
    ...(task.earlierEvidence === undefined ? {} : { earlierEvidence: task.earlierEvidence.map(shownEvidence) }),
    phase: shownPhase(task.phase),
  };
}

function shownSpec({ outputSchema: _, verify, ...spec }: TaskSpec): TaskSpec {
  const shown = { ...spec, prompt: '' };
  return verify === undefined
    ? shown
    : { ...shown, verify: { ...verify, prompt: '', steps: verify.steps.map((step) => cutText(step)) } };
}

function shownAttempt(attempt: AttemptState): AttemptState {
  if (attempt.ended === null) return { ...attempt, ...shownStart(attempt) };
  const { evidence: _, ...ended } = attempt.ended;
  return {
    ...attempt,
    ...shownStart(attempt),
    ended: {
      ...ended,
      summary: cutText(ended.summary),
      saved: ended.saved === null ? null : { ...ended.saved, ref: '', tree: '', head: '' },
      output: smallValue(ended.output),
      failure: ended.failure === null ? null : { ...ended.failure, ...cutFailure(ended.failure) },
    },
  };
}

function shownStart({ process, because }: AttemptState): Pick<AttemptState, 'process' | 'because'> {
  return { process: shownProcess(process), because: cutText(because, LONGEST_OF_MANY) };
}

/** Of a process only its terminal is shown. */
function shownProcess(process: AttemptState['process']): AttemptState['process'] {
  return process?.terminal === undefined ? null : withoutToken(process);
}

function withoutToken(process: AttemptState['process']): AttemptState['process'] {
  return process === null ? null : { ...process, token: '' };
}

function shownPhase(phase: TaskPhase): TaskPhase {
  switch (phase.status) {
    case 'failed':
      return {
        ...phase,
        reason: cutText(phase.reason),
        failure: phase.failure === null ? null : { ...phase.failure, ...cutFailure(phase.failure) },
      };
    case 'blocked':
      return { ...phase, reason: phase.reason.slice(0, LONGEST_REASON) };
    case 'held':
      return { ...phase, hold: { ...phase.hold, reason: phase.hold.reason.slice(0, LONGEST_REASON) } };
    case 'done':
    case 'skipped':
    case 'cancelled':
      return { ...phase, reason: cutText(phase.reason) };
    case 'waiting':
    case 'ready':
    case 'running':
    case 'analyzing':
    case 'landing':
    case 'verifying':
    case 'conflicted':
      return phase;
  }
}

/** The evidence of a gate without its binding, which viewers do not need; of the output of a failed one, the end. */
function shownEvidence({ output, outputAt: _, reruns, ...evidence }: KeptEvidence): Evidence {
  const end = isSatisfied(evidence.verdict) ? undefined : output?.slice(-LONGEST_OUTPUT);
  return {
    ...evidence,
    definition: '',
    setup: '',
    summary: cutText(evidence.summary, LONGEST_OF_MANY),
    ...(end === undefined ? {} : { output: end }),
    ...(reruns === undefined ? {} : { reruns: reruns.map(({ output: __, ...rerun }) => rerun) }),
  };
}

function shownCall(call: RunState['calls'][string]): RunState['calls'][string] {
  return call.ended === null ? call : { ...call, ended: { ...call.ended, answer: smallValue(call.ended.answer) } };
}

function cutFailure({ message, evidence }: { message: string; evidence?: string | undefined }) {
  return { message: cutText(message), ...(evidence === undefined ? {} : { evidence: cutText(evidence) }) };
}

function cut(text: string | null): string | null {
  return text === null ? null : cutText(text);
}

function cutText(text: string, longest = LONGEST_TEXT): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Omits values whose JSON is long. */
function smallValue(value: unknown): unknown {
  return (JSON.stringify(value) ?? '').length <= LARGEST_VALUE ? value : null;
}

function isRunState(value: unknown): value is RunState {
  return typeof value === 'object' && value !== null && 'tasks' in value && 'version' in value && 'counts' in value;
}

function isTaskState(value: unknown): value is TaskState {
  return typeof value === 'object' && value !== null && 'spec' in value && 'attempts' in value && 'phase' in value;
}
