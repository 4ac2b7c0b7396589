import type { z } from 'zod';
import type { RunState, TaskState } from '../core/run/state.ts';
import type { CommandGateSpec } from '../gates/gate-kinds.ts';
import type { LandMode } from '../schema/config/land.ts';
import type { Config } from '../schema/config.ts';
import type { Hold } from '../schema/event.ts';
import type { TaskKey } from '../schema/ids.ts';
import type { NodeDocument, ProgressDocument } from '../schema/progress.ts';
import type { StartOptions } from '../schema/request.ts';
import type { TaskEdit, TaskSpec } from '../schema/task.ts';
import type { Template } from '../schema/template.ts';
import type { FeatureStatus } from '../schema/work-file.ts';
import type { BulkStatus } from './item-status.ts';
import type { RecipeForm } from './recipe-form.ts';
import type { RecipeWorkFile } from './recipe-work-file.ts';

/** What a recipe adds to a run after something happened; only what is new. */
export type Unfolding = {
  add: TaskSpec[];
  /** A decision that is a person's, before the added tasks may start. */
  hold?: Hold;
  /** Tasks that are no longer needed; those that run are ended. */
  cancel?: { tasks: TaskKey[]; reason: string };
  /** Commands that are measured on the branch's tip before anything else follows, recorded as evidence of a task. */
  measure?: { task: TaskKey; commands: CommandGateSpec[] };
  /** The commit to end on when it is not the branch's tip: the best result, not the last. */
  keep?: { commit: string; reason: string };
};

/** A task as a person describes it; `taken` are keys that other new tasks have. */
export type PlanDraft = Pick<TaskSpec, 'title' | 'prompt' | 'needs'> &
  Pick<TaskEdit, 'priority' | 'agent'> & { taken: readonly TaskKey[] };

/** `base`: the branch to start from and land on, created if it is missing; `landEach`: each landing reaches it at once. */
type RecipeDefaults = { base?: string; land?: LandMode; landEach?: boolean };

/** A file of the project, and the status of each piece of work in it. */
export type FileStatuses = {
  file: string;
  statuses: { id: string; status: FeatureStatus; reason?: string }[];
};

/** A request as a recipe sees it. */
type RecipeRequest<Input> = { input: Input; options: StartOptions };

/** What a run will do at most: its phases with their number of tasks, and why it stops; `most` is null where a plan decides. */
export type RecipeOutline = { phases: { title: string; role: string; most: number | null }[]; stops: string[] };

/** Resolves what a request refers to by name. */
export type References = {
  template(name: string): Promise<Template>;
  /** The full id of a run, or of a task of it, from a unique prefix. */
  run(reference: string): string;
};

/**
 * A way of turning a request into tasks. `unfold` is pure: called when the run starts (`ended` undefined) and whenever a
 * task ended, it may be called again after a restart and must then return the same.
 */
export interface Recipe<Input = unknown> {
  readonly name: string;
  readonly version: number;
  readonly input: z.ZodType<Input>;
  /** How forms present it; without this, no form can start it. */
  readonly form?: RecipeForm;
  /** The files that describe its work, if there are any. */
  readonly workFile?: RecipeWorkFile<Input>;
  /** Whether its input may name a template. */
  readonly usesTemplates?: boolean;
  /** At the end of a run that lands as a pull request: `open` one, or `settle` the one that the run was started for. */
  readonly pullRequest?: 'open' | 'settle';
  title(input: Input): string;
  /** Replaces what a request refers to by name, before it is recorded. */
  prepare?(request: RecipeRequest<Input>, references: References): Promise<RecipeRequest<Input>>;
  /** The roles that the input names, which must exist. */
  roles?(input: Input): readonly string[];
  /** Whether a person is to type into the terminal of its agent. */
  needsTerminal?(input: Input): boolean;
  /** Whether a run changes nothing, and so has nothing to check. */
  isReadOnly?(input: Input): boolean;
  /** Whether a run may work on a snapshot of a folder that is no repository. */
  acceptsFolder?(input: Input): boolean;
  /** The settings of its runs, where they differ from those of the project. */
  settings?(config: Config): Config;
  /** How its runs begin and land where neither flags nor settings specify it. */
  defaults?(config: Config, input: Input): RecipeDefaults;
  unfold(run: RunState, input: Input, ended: TaskState | undefined): Unfolding;
  /** A task that a person adds to a plan that waits for approval; without it plans of this recipe cannot be extended. */
  planTask?(run: RunState, draft: PlanDraft): TaskSpec;
  /** Why a task's structured output cannot be used, if it cannot; it already satisfies the schema of its role. */
  accept?(task: TaskState, output: unknown): string | undefined;
  /** Why the run failed although every task succeeded, if it did. */
  failure?(run: RunState, input: Input): string | undefined;
  /** The current status of each piece of work in the file that described it. */
  statuses?(run: RunState, input: Input): FileStatuses | undefined;
  /** Writes these statuses into the file. */
  writeStatuses?(root: string, statuses: FileStatuses): Promise<void>;
  /** What is missing although every required task succeeded, if something is: the run is then partial, or failed where nothing landed. */
  shortfall?(run: RunState, input: Input): string | undefined;
  /** The points that a run which works in rounds must reach, and what each round did. */
  progress?(run: RunState, input: Input): ProgressDocument | undefined;
  /** The result of a run that answers with more than the text of one task. */
  result?(run: RunState, input: Input): unknown;
  /** What its runs will do, before one is started: the tasks by phase, and when it stops. */
  outline?(config: Config, input: Input, maxIterations: number | undefined): RecipeOutline;
  /** The nodes of a run that follows a graph: the reason of each round, and what the gates decided. */
  nodes?(run: RunState, input: Input): NodeDocument[];
  /** The status of each item of a run that consists of independent items. */
  itemStatus?(run: RunState, input: Input): BulkStatus;
}
