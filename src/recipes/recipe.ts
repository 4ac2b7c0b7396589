import type { z } from 'zod';
import type { RunState, TaskState } from '../core/state.ts';
import type { Hold } from '../schema/event.ts';
import type { TaskSpec } from '../schema/task.ts';

/** What a recipe wants after something happened; only what is new. */
export type Unfolding = {
  add: TaskSpec[];
  /** A decision that is a person's, before the added tasks may start. */
  hold?: Hold;
  /** The commit to end on when it is not the branch's tip: the best result, not the last. */
  keep?: { commit: string; reason: string };
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
}
