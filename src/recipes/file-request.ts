import type { z } from 'zod';
import type { LandMode } from '../schema/config/land.ts';
import type { Config } from '../schema/config.ts';
import type { StartOptions } from '../schema/request.ts';

type Options = z.input<typeof StartOptions>;

/** The request of a work file: its input, and the options of the file and the command line. */
export type FileRequest<Input> = { input: Input; options: Options };

/** How far to go according to the command line; `through` continues to pull requests without a stop. */
export type WorkChoices = { execute: boolean; yes: boolean; pr: boolean; through: boolean };

/** What is known when a work file is started: the options of the command line, the settings and the choices. */
export type FileStart = { typed: Options; config: Config; choices: WorkChoices };

/** Whether the tasks planned from a to-do list wait for the user's review. */
export function stopsAfterPlan(config: Config, { execute, yes, through }: WorkChoices): boolean {
  const stops = config.stopAfterGenerate ?? config.mode === 'review';
  return stops && !execute && !yes && !through && !config.autoApprove;
}

/** In mode yolo each task gets its own pull request, unless the settings or the command line request something else. */
export function hasPullRequestEach({ land }: Options, { typed, config, choices }: FileStart): boolean {
  const isRequested = typed.land === undefined && (choices.through || config.mode === 'yolo');
  return land === 'pr' && choices.pr && isRequested && config.pr.per !== 'run';
}

/** The options with the way in which the run lands, where something decides it. */
export function withLanding(options: Options, config: Config, choices: WorkChoices): Options {
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
