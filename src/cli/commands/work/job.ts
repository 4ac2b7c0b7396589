import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { OperationInput } from '../../../operations/all.ts';
import { RetryPolicy, Tier } from '../../../schema/task.ts';
import { loadTemplate, templateSources } from '../../../templates/load.ts';
import { addHelp, type CliCommand, collect, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { parseBytes, wholeNumber } from '../../render/amounts.ts';
import { addContextOption, contextOf } from '../../start/context-option.ts';
import {
  addScheduleOptions,
  ScheduleFlags,
  type Starter,
  scheduleOf,
  scheduleText,
} from '../../start/schedule-options.ts';
import { addScopeOptions, ScopeFlags, scopeOf } from '../../start/scope-options.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';
import { startRun } from '../../start/start-run.ts';
import { addStopOption, StopFlag } from '../../start/stop-option.ts';
import { resolveDir } from '../../target.ts';
import { attendJob } from '../../terminal/attach-terminal.ts';

const Flags = StartFlags.extend({
  ...ScopeFlags.shape,
  ...ScheduleFlags.shape,
  after: z.array(z.string()).default([]),
  priority: z.number().optional(),
  stop: StopFlag,
  outputLimit: z.number().optional(),
  retry: RetryPolicy.optional(),
  role: z.string().optional(),
  write: z.boolean().default(false),
  tier: Tier.optional(),
  interactive: z.boolean().default(false),
  debate: z.union([z.number(), z.literal(true)]).optional(),
  review: z.boolean().default(false),
  preset: z.enum(['quick', 'reviewed', 'autonomous']).optional(),
  visible: z.boolean().default(false),
  template: z.string().optional(),
  context: z.array(z.string()).default([]),
});
type Flags = z.infer<typeof Flags>;
type JobInput = Extract<OperationInput<'start-run'>, { recipe: 'job' }>['input'];

const DEBATE_ROUNDS = 3;

const EXAMPLES = [
  'manyhands job "Rename Cart to Basket everywhere" --check "npm test"',
  'manyhands job "Where are prices rounded?" --role research',
  'manyhands job "Translate the manual" --scope-allow docs --max-diff-lines 400',
  'manyhands job "Write the changelog" --after k3v9x2ab --stop time=10m --retry analyze',
  'manyhands job "The total is wrong on Sundays" --template bugfix --context ticket=SHOP-12',
  'manyhands job "Make the parser stricter" --preset reviewed --check "npm test"',
  'manyhands job "Choose and add a cache" --debate --review',
  'manyhands job --visible "Fix the login"',
  'manyhands job --interactive "Find out with me why login is slow"',
  'manyhands job "Update the translations" --at 07:30 --every 12h --times 5 --land merge',
];

/** Gives one task to one agent, without a plan. */
export const jobCommand: CliCommand = {
  name: 'job',
  group: 'Work',
  summary: 'give one task to one agent',
  define(command, session) {
    command.argument(
      '[task...]',
      'the task; - reads it from standard input, @file from a file; optional with --template',
    );
    addStopOption(addStartOptions(command, session))
      .option('--after <run>', 'start when this run, or run/task, is done; repeatable', collect)
      .option('--priority <n>', 'priority from -10 (last) to 10 (first)', wholeNumber(-10, 10))
      .option('--output-limit <size>', 'maximum output of an attempt, such as 10MB', parseBytes)
      .addOption(new Option('--retry <policy>', 'what to do after a failure').choices(RetryPolicy.options))
      .option('-r, --role <role>', 'the role of the agent; read-only unless --write')
      .option('-w, --write', 'allow the role to change files')
      .addOption(new Option('--tier <tier>', 'the model tier').choices(Tier.options))
      .option('--debate [rounds]', 'let two agents debate the task first (default: 3 rounds)', wholeNumber(1, 10))
      .option('--review', 'another agent reviews the result, and its findings are fixed')
      .addOption(
        new Option(
          '--preset <name>',
          'quick: one agent; reviewed: with --review; autonomous: in cycles, see manyhands cycle',
        ).choices(['quick', 'reviewed', 'autonomous']),
      )
      .option('-i, --interactive', 'run the agent in a terminal and attach to it; see manyhands attach')
      .option('--visible', 'show the run in a window of its own, where there is a desktop or tmux')
      .option('--template <name>', 'guidelines and defaults for the job; see manyhands template ls');
    addContextOption(command);
    addScheduleOptions(command, session);
    addScopeOptions(command);
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: (flags, words) => startJob(session, flags, { words, command }),
    });
  },
};

async function startJob(
  session: Session,
  flags: Flags,
  { words, command }: { words: string[]; command: Command },
): Promise<number> {
  const { terminal, world } = session.platform;
  const template = flags.template === undefined ? undefined : await findTemplate(session, flags.template, flags.dir);
  if (words.length === 0 && template === undefined)
    throw new AppError('USAGE', `The task is missing: manyhands ${command.name()} "<task>"`);
  const input = { ...jobInput(flags), context: await contextOf(terminal, flags.context) };
  const dir = flags.dir ?? template?.dir;
  const reported: string[] = [];
  const describeSchedule = (starter: Starter): string[] => {
    const text = scheduleText(flags, starter, world.now());
    if (text !== undefined) reported.push(text);
    return text === undefined ? [] : [text];
  };
  if (flags.preset === 'autonomous') return startCycle(session, flags, { words, command });
  if (flags.review && flags.every !== undefined)
    throw new AppError('USAGE', '--review cannot be used with --every; use --land pr and manyhands review instead');
  const code = await startRun(session, {
    flags: { ...flags, ...(dir === undefined ? {} : { dir }) },
    words: words.length === 0 ? [template?.summary ?? ''] : words,
    request: (task, options) => ({ recipe: 'job', input: { task, ...input }, options }),
    describe: describeSchedule,
    ...(flags.visible ? { window: (run: string) => windowOf(flags, run) } : {}),
    ...(flags.interactive && !flags.visible && !flags.json
      ? { attend: (caller: Caller, run: string, folder: string) => attendJob(session, caller, { run, dir: folder }) }
      : {}),
  });
  if (flags.detach && reported.length === 0)
    for (const line of describeSchedule('background')) terminal.err(`${line}\n`);
  return code;
}

/** The flags that a job in cycles understands; any other one would be ignored, so it is refused. */
async function startCycle(
  session: Session,
  flags: Flags,
  { words, command }: { words: string[]; command: Command },
): Promise<number> {
  const shared = new Set([...Object.keys(StartFlags.shape), 'preset']);
  const other = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli' && !shared.has(option.attributeName()),
  );
  if (other !== undefined)
    throw new AppError('USAGE', `${other.long} cannot be used with --preset autonomous; see manyhands cycle --help`);
  return startRun(session, {
    flags,
    words,
    request: (goal, options) => ({ recipe: 'cycle', input: { goal }, options }),
  });
}

/** An interactive agent is attached to in the window instead of here. */
function windowOf({ interactive }: Flags, run: string): string[] {
  return interactive ? ['attach', run] : ['logs', run, '--follow'];
}

/** The template is read before anything is started, because it may name the project or the task. */
async function findTemplate({ platform }: Session, name: string, dir: string | undefined) {
  const { terminal } = platform;
  return loadTemplate(name, await templateSources(terminal.env, await resolveDir(terminal, dir)));
}

function jobInput(flags: Flags): Omit<JobInput, 'task'> {
  const { after, priority, stop, outputLimit, retry, role, write, tier, template } = flags;
  return {
    after,
    write,
    ...(priority === undefined ? {} : { priority }),
    ...(stop === undefined ? {} : { stop }),
    ...(outputLimit === undefined ? {} : { outputBytes: outputLimit }),
    ...scopeOf(flags),
    ...scheduleOf(flags),
    ...(flags.interactive ? { interactive: true } : {}),
    ...(flags.debate === undefined ? {} : { debate: flags.debate === true ? DEBATE_ROUNDS : flags.debate }),
    ...(flags.review || flags.preset === 'reviewed' ? { review: true } : {}),
    ...(retry === undefined ? {} : { retry }),
    ...(role === undefined ? {} : { role }),
    ...(tier === undefined ? {} : { tier }),
    ...(template === undefined ? {} : { template }),
  };
}
