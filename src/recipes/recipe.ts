import type { z } from 'zod';
import type { RunState, TaskState } from '../core/run/state.ts';
import type { LandMode } from '../schema/config/land.ts';
import type { Config } from '../schema/config.ts';
import type { Hold } from '../schema/event.ts';
import type { TaskSpec } from '../schema/task.ts';
import type { FeatureStatus } from '../schema/work-file.ts';

/** What a recipe wants after something happened; only what is new. */
export type Unfolding = {
  add: TaskSpec[];
  /** A decision that is a person's, before the added tasks may start. */
  hold?: Hold;
  /** The commit to end on when it is not the branch's tip: the best result, not the last. */
  keep?: { commit: string; reason: string };
};

/** `base`: the branch to start from and land on, made if it is missing; `landEach`: each landing reaches it at once. */
type RecipeDefaults = { base?: string; land?: LandMode; landEach?: boolean };

/** A file of the project, and how each piece of work in it stands. */
export type FileStatuses = {
  file: string;
  statuses: { id: string; status: FeatureStatus; reason?: string }[];
};

/**
 * A way of turning a request into tasks. `unfold` is pure: asked when the run starts (`ended` undefined) and whenever a
 * task ended, it may be asked again after a restart and must then want the same.
 */
export interface Recipe<Input = unknown> {
  readonly name: string;
  readonly version: number;
  readonly input: z.ZodType<Input>;
  title(input: Input): string;
  /** Why a task's structured output cannot be used, if it cannot; the schema of its role was already satisfied. */
  accept(task: TaskState, output: unknown): string | undefined;
  unfold(run: RunState, input: Input, ended: TaskState | undefined): Unfolding;
  /** How runs of this recipe begin and land where neither flags nor settings say it. */
  manner?(config: Config, input: Input): RecipeDefaults;
  /** Why the run failed although every task ended well, if it did. */
  failure?(run: RunState, input: Input): string | undefined;
  /** What the file that asked for the work should say now about each piece of it. */
  statuses?(run: RunState, input: Input): FileStatuses | undefined;
}
