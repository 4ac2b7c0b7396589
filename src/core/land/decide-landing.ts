import { AppError } from '../../errors.ts';
import { candidateGates } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Hold, RunEvent } from '../../schema/event.ts';
import type { Failure, FollowUp } from '../../schema/failure.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskSpec, WorkStart } from '../../schema/task.ts';
import { afterFailure } from '../attempt/decide-attempt.ts';
import { endFailed } from '../run/end-tasks.ts';
import { requirePhase, requireTask } from '../run/require.ts';
import type { RunState, TaskState } from '../run/state.ts';

/** How often a task's merge may conflict before it is given up. */
const RESOLVERS = 3;

export type Rejection = { task: TaskKey; failure: Failure; follow: FollowUp; from: WorkStart; now: number };

/** Moves the run branch: these tasks, and those whose conflicts they resolve, are done. Refused when the branch moved concurrently. */
export function completeLanding(
  state: RunState,
  what: { tasks: TaskKey[]; from: string; commit: string; tree: string },
): RunEvent[] {
  if (what.from !== state.tip.commit) {
    throw new AppError('CONFLICT', `The run branch moved concurrently from ${what.from} to ${state.tip.commit}`);
  }
  const tasks = new Set<TaskKey>();
  for (const key of what.tasks) {
    const task = requireTask(state, key);
    requirePhase(task, 'landing');
    for (const landed of [key, ...resolvedBy(state, task)]) tasks.add(landed);
  }
  return [{ type: 'tasks.landed', data: { ...what, tasks: [...tasks] } }];
}

/** The work of a task was saved again, because its commit was lost: it lands from there, and what was approved before is decided again. */
export function landAgain(state: RunState, what: { task: TaskKey; commit: string; ref: string }): RunEvent[] {
  requireTask(state, what.task);
  return [{ type: 'task.landing', data: what }];
}

/** Records that a host runs a check of a candidate that contains these tasks. */
export function startCheck(what: { tasks: TaskKey[]; commit: string; gate: string; host: string }): RunEvent[] {
  return [{ type: 'check.started', data: what }];
}

/** Records the evidence of a gate for a candidate that contains these tasks. */
export function recordGate(tasks: TaskKey[], commit: string, evidence: Evidence): RunEvent[] {
  return [{ type: 'gate.ended', data: { tasks, commit, evidence } }];
}

/** The failure of a task whose check failed, or could not run, on the merged tree. */
export function failureOnMergedTree(verdict: 'fail' | 'error', { gate, summary, output }: Evidence): Failure {
  const failed = `${gate} failed on the merged tree`;
  // Most summaries begin with the name of the gate, which is said once.
  const rest = summary.startsWith(`${gate} `) ? `it${summary.slice(gate.length)}` : summary;
  return {
    kind: verdict === 'error' ? 'environment' : 'tests',
    message: rest.startsWith('it failed ') ? `${failed} ${rest.slice('it failed '.length)}` : `${failed}: ${rest}`,
    ...(output === undefined ? {} : { evidence: output }),
  };
}

/** Rejects a task because a check failed on the merged tree. Its next attempt starts from exactly that tree. */
export function rejectLanding(state: RunState, what: Rejection): RunEvent[] {
  const task = requireTask(state, what.task);
  requirePhase(task, 'landing');
  return afterFailure(state, { ...what, task });
}

/** Gives work that passed its checks back to its agent for a proof that it lacks; this does not count against the task. */
export function returnForProof(
  state: RunState,
  what: { task: TaskKey; reason: string; from: WorkStart; now: number },
): RunEvent[] {
  requirePhase(requireTask(state, what.task), 'landing');
  const { task, reason: evidence, from, now: at } = what;
  return [{ type: 'task.retrying', data: { task, at, counted: false, resume: true, evidence, from } }];
}

/** Turns a merge conflict into a resolve task; when a resolver itself conflicts, another one starts from the new tip. */
export function conflictLanding(
  state: RunState,
  what: { task: TaskKey; onto: string; files: string[]; now: number },
): RunEvent[] {
  const task = requireTask(state, what.task);
  requirePhase(task, 'landing');
  const root = rootOf(state, task);
  const round = resolversOf(state, root) + 1;
  const failure: Failure = {
    kind: 'conflict',
    message: `it conflicts with the run branch in ${what.files.join(', ')}`,
  };
  if (round > RESOLVERS) return endFailed(state, task, { reason: `${failure.message}, ${RESOLVERS} times`, failure });
  const resolver = resolverFor(root, what.files, round);
  const conflicted: RunEvent = {
    type: 'task.conflicted',
    data: { task: root.spec.key, onto: what.onto, files: what.files, resolver: resolver.key },
  };
  const added: RunEvent = { type: 'tasks.added', data: { specs: [resolver] } };
  if (task === root) return [added, conflicted];
  const superseded: RunEvent = {
    type: 'task.ended',
    data: {
      task: task.spec.key,
      status: 'skipped',
      reason: 'the branch moved; another resolver starts from its new tip',
    },
  };
  return [added, superseded, conflicted];
}

/** Holds a task's work before it lands until a person has reviewed it. */
export function holdLanding(state: RunState, what: { task: TaskKey; hold: Hold }): RunEvent[] {
  const task = requireTask(state, what.task);
  const phase = requirePhase(task, 'landing');
  return [{ type: 'task.held', data: { task: what.task, hold: what.hold, commit: phase.commit } }];
}

function resolvedBy(state: RunState, task: TaskState): TaskKey[] {
  const resolved = task.spec.resolves;
  return resolved !== undefined && state.tasks[resolved]?.phase.status === 'conflicted' ? [resolved] : [];
}

function rootOf(state: RunState, task: TaskState): TaskState {
  return task.spec.resolves === undefined ? task : requireTask(state, task.spec.resolves);
}

function resolversOf(state: RunState, root: TaskState): number {
  let round = 0;
  while (state.tasks[resolverKey(root, round + 1)] !== undefined) round += 1;
  return round;
}

function resolverKey(root: TaskState, round: number): TaskKey {
  return `resolve/${root.ordinal}.${round}`;
}

function resolverFor(root: TaskState, files: string[], round: number): TaskSpec {
  return {
    ...root.spec,
    key: resolverKey(root, round),
    title: `Resolve: ${root.spec.title}`.slice(0, 200),
    role: 'resolve',
    needs: [],
    prompt: promptText('roles/sections/resolve-conflict', {
      task: root.spec.prompt,
      files: files.map((file) => `- ${file}`).join('\n'),
    }),
    resolves: root.spec.key,
    gates: candidateGates(root.spec.gates),
    priority: Math.min(10, root.spec.priority + 1),
  };
}

/** A file that a guard holds, with why: the reasons are predicates of the file, begin with its name, or are sentences of their own. */
export function heldText({ path, reason }: { path: string; reason: string }): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (reason.startsWith(`${name} `)) return path + reason.slice(name.length);
  return `${path}${/^(is|decides|becomes) /.test(reason) ? '' : ':'} ${reason}`;
}
