import type { RunState } from '../core/state.ts';
import { JobInput } from '../schema/request.ts';
import type { TaskSpec } from '../schema/task.ts';
import { baseRedHold, describeEvidence, redOnBase } from './base-red.ts';
import type { Recipe, Unfolding } from './recipe.ts';
import { checksOf, oneLine, taskSpec } from './spec.ts';

/** With `--stop completion` an attempt goes on until it is done; this many turns are the safety cap. */
const COMPLETION_TURNS = 1000;

/** One task for one agent: it changes code and lands, or (with a reading role) its answer is the result. */
export const job: Recipe<JobInput> = {
  name: 'job',
  version: 1,
  input: JobInput,
  title: (input) => oneLine(input.task),
  accept: () => undefined,
  unfold: (run, input, ended) => (ended === undefined ? begin(run, input) : { add: [] }),
};

function begin(run: RunState, input: JobInput): Unfolding {
  const { config } = run.start;
  const writes = input.role === undefined || input.write;
  const red = writes ? redOnBase(run) : [];
  const told =
    red.length === 0
      ? ''
      : `\n\nThese checks are red before your work and must be green after it:\n${describeEvidence(red)}`;
  const task = taskSpec(config, {
    key: 'job/1',
    title: oneLine(input.task),
    role: input.role ?? 'implement',
    access: writes ? 'write' : 'read',
    prompt: `${input.task}${told}`,
    priority: input.priority,
    ...(input.after.length === 0 ? {} : { after: input.after }),
  });
  const add = [
    withStop({ ...task, gates: gatesOf(task, run, input), retry: { ...task.retry, policy: input.retry } }, input),
  ];
  if (red.length > 0 && config.baseRed === 'block' && !run.approved.includes('base-red'))
    return { add, hold: baseRedHold(red) };
  return { add };
}

/** With a role and --write something may change, but nothing must. */
function gatesOf(task: TaskSpec, run: RunState, input: JobInput): TaskSpec['gates'] {
  return task.access === 'write' && input.role !== undefined ? checksOf(run.start.config) : task.gates;
}

function withStop(task: TaskSpec, { stop }: JobInput): TaskSpec {
  const turns = stop.turns ?? (stop.completion ? COMPLETION_TURNS : task.limits.turns);
  return {
    ...task,
    limits: {
      ...task.limits,
      ...(turns === undefined ? {} : { turns }),
      ...(stop.budget === undefined ? {} : { costUsd: stop.budget }),
      ...(stop.seconds === undefined ? {} : { runtimeMs: stop.seconds * 1000 }),
    },
  };
}
