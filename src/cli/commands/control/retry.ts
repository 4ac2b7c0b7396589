import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import {
  addDir,
  addFollowing,
  addHelp,
  addJson,
  type CliCommand,
  collect,
  FollowOptions,
  whenCalled,
} from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { parseUsd } from '../../render/amounts.ts';
import { addDeadlineOptions, DeadlineFlags, deadlineOf } from '../../start/deadline-options.ts';
import { collectGlob } from '../../start/scope-options.ts';
import { addStopOption, StopFlag } from '../../start/stop-option.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const EXAMPLES = [
  'manyhands retry',
  'manyhands retry k3v9x2ab',
  'manyhands retry k3v9x2ab implement/1.2 --detach',
  'manyhands retry k3v9x2ab implement/1.2 --requeue',
  'manyhands retry k3v9x2ab --budget 10 --stop time=2h',
  'manyhands retry k3v9x2ab --until +2h',
  'manyhands retry k3v9x2ab implement/1.2 --agent codex --scope-allow docs',
];

const Flags = FollowOptions.extend({
  requeue: z.boolean().default(false),
  keepChanges: z.boolean().default(false),
  discardChanges: z.boolean().default(false),
  agent: z.array(z.string()).default([]),
  scopeAllow: z.array(z.string()).default([]),
  budget: z.number().optional(),
  stop: StopFlag,
  ...DeadlineFlags.shape,
});

/** Retries failed or blocked tasks. */
export const retryCommand: CliCommand = {
  name: 'retry',
  group: 'Control',
  summary: 'retry failed or blocked tasks, or run a done task again',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .argument('[task]', 'only this task; a task that is done runs again, with all tasks that depend on it')
      .option('--requeue', 'start again in a clean workspace with a fresh attempt count, even if it is running')
      .option('--keep-changes', 'continue with what another user or process changed in the workspace')
      .option('--discard-changes', 'continue without it; it stays saved, see manyhands salvage')
      .option(
        '-a, --agent <agent>',
        'use this agent with its current settings: name, role=name or command:<program>; repeatable',
        collect,
      )
      .option('--scope-allow <glob>', 'also allow changes to this file or folder; repeatable', collectGlob)
      .option('--budget <usd>', 'the new maximum cost of the whole run in US dollars', parseUsd);
    addDeadlineOptions(addStopOption(command), session);
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (
        { requeue, keepChanges, discardChanges, agent: agents, scopeAllow, budget, stop, until, maxHours, ...flags },
        args,
      ) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        if (keepChanges && discardChanges)
          throw new AppError('USAGE', 'Use either --keep-changes or --discard-changes');
        const deadline = deadlineOf({ until, maxHours });
        const change = {
          ...(keepChanges ? { changes: 'keep' as const } : {}),
          ...(discardChanges ? { changes: 'discard' as const } : {}),
          ...(agents.length === 0 ? {} : { agents }),
          ...(scopeAllow.length === 0 ? {} : { scopeAllow }),
          ...(budget === undefined ? {} : { budget }),
          ...(stop === undefined ? {} : { stop }),
          ...(deadline === undefined ? {} : { until: deadline }),
        };
        const request = { dir, ...parseTarget(args), requeue, ...change };
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('retry-run', request)).run],
        });
      },
    });
  },
};
