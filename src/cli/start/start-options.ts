import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { Label } from '../../schema/config/hosts.ts';
import { LandMode } from '../../schema/config/land.ts';
import type { StartOptions } from '../../schema/request.ts';
import { addDir, addFollowing, addJson, collect, FollowOptions } from '../command.ts';
import type { Session } from '../platform.ts';
import { parseUsd, wholeNumber } from '../render/amounts.ts';
import { resolveDir } from '../target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addDeadlineOptions, DeadlineFlags, deadlineOf } from './deadline-options.ts';

/** The options of every command that starts a run, as commander returns them. */
export const StartFlags = FollowOptions.extend({
  agent: z.array(z.string()).default([]),
  check: z.array(z.string()).default([]),
  land: LandMode.optional(),
  budget: z.number().optional(),
  ...DeadlineFlags.shape,
  maxIterations: z.number().optional(),
  base: z.string().optional(),
  repairBase: z.boolean().default(false),
  knownRed: z.boolean().default(false),
  rehearse: z.boolean().default(false),
  scenario: z.string().optional(),
  maxParallel: z.number().optional(),
  label: z.array(z.string()).default([]),
  title: z.string().optional(),
  collection: z.string().optional(),
});
export type StartFlags = z.infer<typeof StartFlags>;

/** Adds the options of StartFlags. */
export function addStartOptions(command: Command, session: Session): Command {
  command
    .option(
      '-a, --agent <agent>',
      'the agent: name, a list a,b, role=name, auto or command:<program>; repeatable',
      collect,
    )
    .option('-c, --check <command>', 'a command that must exit with 0 on the merged result; repeatable', collectCheck)
    .addOption(
      new Option(
        '--land <how>',
        'branch creates mh/<run> (default), merge fast-forwards the base, pr opens a pull request',
      ).choices(LandMode.options),
    )
    .option('--budget <usd>', 'maximum cost in US dollars', parseUsd);
  addDeadlineOptions(command, session)
    .option(
      '--max-iterations <n>',
      'maximum number of rounds: cycles, debate rounds, reviews, verifications or repetitions',
      wholeNumber(1, 1000),
    )
    .option('--base <rev>', 'the branch or commit to start from')
    .addOption(
      new Option('--known-red', 'tests that fail on the base may keep failing; new failures block').conflicts(
        'repairBase',
      ),
    )
    .option('--repair-base', 'if a check fails on the base, repair that first')
    .option('--rehearse', 'simulate the agents with a scenario instead of using a model')
    .option('--scenario <file>', 'the scenario to use; implies --rehearse')
    .option('-p, --max-parallel <n>', 'maximum number of parallel attempts', wholeNumber(1, 150))
    .option(
      '--label <label>',
      'a label that a host must have to perform its tasks and checks; repeatable',
      collectLabel,
    )
    .option('-t, --title <text>', 'the title of the run')
    .option('--collection <name>', 'add the run to this collection; creates it if needed');
  return addDir(addJson(addFollowing(command)));
}

/** Other tools have `-c` for a file of tasks or settings; as a check it could only fail. */
function collectCheck(value: string, before: string[] | undefined): string[] {
  if (/^\S+\.(?:ya?ml|toml|jsonl?)$/.test(value))
    throw new InvalidArgumentError(
      `A check is a command, and this is a file. For a work file: manyhands run ${value}; for settings: manyhands init --import.`,
    );
  return collect(value, before);
}

function collectLabel(value: string, before: string[] | undefined): string[] {
  const labels = value.split(',').map((label) => label.trim());
  const wrong = labels.flatMap((label) => Label.safeParse(label).error?.issues ?? []);
  if (wrong.length > 0) throw new InvalidArgumentError(`A label ${wrong[0]?.message}.`);
  return [...(before ?? []), ...labels];
}

/** The options of the request; paths are relative to the current folder. */
export async function startOptions(terminal: Terminal, flags: StartFlags): Promise<z.input<typeof StartOptions>> {
  const { land, budget, base, scenario, maxParallel, maxIterations, title, collection } = flags;
  const until = deadlineOf(flags);
  return {
    dir: await resolveDir(terminal, flags.dir),
    agents: flags.agent,
    checks: flags.check,
    rehearse: flags.rehearse || scenario !== undefined,
    ...(land === undefined ? {} : { land }),
    ...(budget === undefined ? {} : { budget }),
    ...(until === undefined ? {} : { until }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(base === undefined ? {} : { base }),
    ...(flags.repairBase ? { repairBase: true } : {}),
    ...(flags.knownRed ? { knownRed: true } : {}),
    ...(scenario === undefined ? {} : { scenario: resolve(terminal.cwd, scenario) }),
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(flags.label.length === 0 ? {} : { labels: flags.label }),
    ...(title === undefined ? {} : { title }),
    ...(collection === undefined ? {} : { collection }),
  };
}
