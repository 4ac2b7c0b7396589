import type { OperationInput } from '../../operations/all.ts';
import type { LandMode } from '../../schema/config/land.ts';
import type { Config } from '../../schema/config.ts';
import type { WorkFile } from '../../schema/work-file.ts';

type Request = OperationInput<'start-run'>;
type Options = Request['options'];

/** How far to go according to the command line; `through` continues to pull requests without a stop. */
export type WorkChoices = { execute: boolean; yes: boolean; pr: boolean; through: boolean };

/** The request of a work file; the command line overrides the file, and both override the defaults. */
export function workRequest(
  work: WorkFile,
  { typed, config, choices }: { typed: Options; config: Config; choices: WorkChoices },
): Request {
  const options = { ...work.options, ...typed };
  switch (work.recipe) {
    case 'features':
      return { recipe: 'features', input: work.input, options };
    case 'bulk': {
      const maxParallel = options.maxParallel ?? Math.min(work.input.maxParallel, config.limits.agents);
      return { recipe: 'bulk', input: work.input, options: { ...options, maxParallel } };
    }
    case 'tasks': {
      const input = choices.pr ? work.input : { ...work.input, pr: 'none' as const };
      const pr = choices.pr && (input.pr !== 'none' || choices.through);
      const through = choices.through || input.pr === 'each' || input.pr === 'run';
      const landed = landing(options, config, { ...choices, pr, through });
      const each = isForEach(landed, { typed, config, choices }) && (input.pr === undefined || input.pr === 'none');
      return { recipe: 'tasks', input: each ? { ...input, pr: 'each' } : input, options: landed };
    }
    case 'workflow':
      return { recipe: 'workflow', input: work.input, options };
    case 'todo': {
      const execute = !stopsAfterPlan(config, choices);
      const landed = landing(options, config, choices);
      const pr = isForEach(landed, { typed, config, choices }) ? { pr: 'each' as const } : {};
      return { recipe: 'todo', input: { ...work.input, execute, ...pr }, options: landed };
    }
  }
}

/** Whether the tasks planned from a to-do list wait for the user's review. */
export function stopsAfterPlan(config: Config, { execute, yes, through }: WorkChoices): boolean {
  const stops = config.stopAfterGenerate ?? config.mode === 'review';
  return stops && !execute && !yes && !through && !config.autoApprove;
}

/** In mode yolo each task gets its own pull request, unless the settings or the command line request something else. */
function isForEach(
  { land }: Options,
  { typed, config, choices }: { typed: Options; config: Config; choices: WorkChoices },
): boolean {
  const isRequested = typed.land === undefined && (choices.through || config.mode === 'yolo');
  return land === 'pr' && choices.pr && isRequested && config.pr.per !== 'run';
}

function landing(options: Options, config: Config, choices: WorkChoices): Options {
  const land = landOf(options, config, choices);
  return land === undefined ? options : { ...options, land };
}

/** `through` lands by pull requests; otherwise the settings decide, and `--execute` opens none. */
function landOf(options: Options, config: Config, { execute, pr, through }: WorkChoices): LandMode | undefined {
  if (options.land !== undefined) return options.land;
  if (!pr) return config.land === 'pr' ? 'branch' : undefined;
  if (through) return config.autoPr === false ? undefined : 'pr';
  if (execute || config.land !== undefined) return undefined;
  return (config.autoPr ?? config.mode === 'yolo') ? 'pr' : undefined;
}
