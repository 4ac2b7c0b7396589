import { z } from 'zod';

/** A run's id: eight characters of a lower-case alphabet without look-alikes; also the last part of its branch `mh/<run>`. */
export const RunId = z.string().regex(/^[0-9a-hjkmnp-tv-z]{8}$/);
export type RunId = z.infer<typeof RunId>;

/** A task's key: assigned by Manyhands, never by a model; stable across restarts (`implement/1.3`, `review/2`). */
export const TaskKey = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)*$/);
export type TaskKey = z.infer<typeof TaskKey>;

/** The name of a project that is known by its remote; part of the names of folders on every machine. */
export const ProjectName = z
  .string()
  .max(40)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must begin with a letter or digit and have only letters, digits, . _ and -')
  .refine((name) => !name.endsWith('.git') && !name.includes('..'), 'must not end in .git or contain ..');

/** The id of an attempt (in folders, refs, environment): run, the task's ordinal in it, the attempt's number. */
export function attemptId(run: RunId, ordinal: number, attempt: number): string {
  return `${run}-${ordinal}-${attempt}`;
}

/** The stream that holds a run's events. */
export function runStream(run: RunId): string {
  return `run/${run}`;
}

/** The key of the stored list entry of an ended run; it is not a stream of events. */
export function overviewStream(run: RunId): string {
  return `overview/${run}`;
}

/** The stream that holds what belongs to a project and to no single run. */
export function projectStream(project: string): string {
  return `project/${project}`;
}

/** The stream that holds the series of rounds that watch a project. */
export function watchStream(project: string): string {
  return `watch/${project}`;
}

/** The stream that holds what is learned about models. */
export const MODELS_STREAM = 'models';

/** The stream that holds an account's rate limits and spending; an agent without accounts is its own account. */
export function accountStream(account: string): string {
  return `account/${account}`;
}
