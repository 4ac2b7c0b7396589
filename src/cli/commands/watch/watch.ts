import type { Command } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { OperationOutput } from '../../../operations/all.ts';
import {
  addDir,
  addFollowing,
  addHelp,
  addJson,
  type CliCommand,
  CommonOptions,
  collect,
  FollowOptions,
  whenCalled,
} from '../../command.ts';
import { EXIT_CODES, READING_EXIT_CODES } from '../../exit-code.ts';
import { announceRuns, detachSession } from '../../follow/detach.ts';
import { listenForInterrupts } from '../../follow/interrupts.ts';
import { work } from '../../follow/work.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { parseSeconds, parseUsd } from '../../render/amounts.ts';
import { printJson, printLines } from '../../render/output.ts';
import { watchEventText, watchLines } from '../../render/watch-lines.ts';
import { addDeadlineOptions, DeadlineFlags, deadlineOf } from '../../start/deadline-options.ts';
import { addStartOptions, StartFlags, startOptions } from '../../start/start-options.ts';
import { resolveDir } from '../../target.ts';

const StartWatchFlags = FollowOptions.extend({
  ...DeadlineFlags.shape,
  agent: z.array(z.string()).default([]),
  rehearse: z.boolean().default(false),
  scenario: z.string().optional(),
  budgetPerDay: z.number().optional(),
  shortest: z.number().optional(),
  longest: z.number().optional(),
  pullRequests: z.boolean().default(true),
});
type StartWatchFlags = z.infer<typeof StartWatchFlags>;
const AcceptFlags = StartFlags.extend({ note: z.string().optional() });
const ReasonFlags = CommonOptions.extend({ reason: z.string() });

const EXAMPLES = [
  'manyhands watch',
  'manyhands watch --detach --budget-per-day 3',
  'manyhands watch show',
  'manyhands watch reply "Why is the import slow?"',
  'manyhands watch accept p3',
  'manyhands watch reject p4 --reason "we want it that way"',
  'manyhands watch post 12',
  'manyhands watch stop',
];

const WATCH_EXIT_CODES = `Exit codes:
  0  watching has ended, or continues in the background
  2  invalid command line
  3  the command failed; the message states the reason`;

/** Watches a project in rounds; its subcommands read and answer what it finds. */
export const watchCommand: CliCommand = {
  name: 'watch',
  group: 'Work',
  summary: 'watch the project: proposals, answers and draft reviews, within a budget per day',
  define(command, session) {
    addDeadlineOptions(addFollowing(command, 'watch in the background'), session, 'watching')
      .option('-a, --agent <agent>', 'the agent: name, a list a,b, or role=name; repeatable', collect)
      .option('--budget-per-day <usd>', 'maximum cost of a day in US dollars (default: 5)', parseUsd)
      .option('--shortest <time>', 'the shortest time between rounds (default: 5m)', parseSeconds)
      .option('--longest <time>', 'the longest time between rounds (default: 6h)', parseSeconds)
      .option('--no-pull-requests', 'do not draft reviews of open pull requests')
      .option('--rehearse', 'simulate the agents with a scenario instead of using a model')
      .option('--scenario <file>', 'the scenario to use; implies --rehearse');
    addHelp(addDir(addJson(command)), EXAMPLES, WATCH_EXIT_CODES);
    whenCalled(command, session, { options: StartWatchFlags, act: (flags) => startWatch(session, flags) });
    defineReading(command, session);
    defineProposals(command, session);
    defineReviews(command, session);
  },
};

async function startWatch(session: Session, flags: StartWatchFlags): Promise<number> {
  const { platform } = session;
  const { terminal } = platform;
  if (flags.detach) {
    await detachSession(session, false);
    terminal.err('Watching in the background. See manyhands watch show; end it with manyhands watch stop.\n');
    return 0;
  }
  const dir = await resolveDir(terminal, flags.dir);
  const { budgetPerDay, shortest, longest, scenario, pullRequests } = flags;
  const until = deadlineOf(flags);
  await using caller = await platform.openCaller(terminal.env);
  const series = await caller.call('start-watch', {
    options: {
      dir,
      agents: flags.agent,
      rehearse: flags.rehearse || scenario !== undefined,
      ...(scenario === undefined ? {} : { scenario }),
      ...(until === undefined ? {} : { until }),
    },
    pullRequests,
    ...(budgetPerDay === undefined ? {} : { budgetPerDay }),
    ...(shortest === undefined ? {} : { minMs: shortest * 1_000 }),
    ...(longest === undefined ? {} : { maxMs: longest * 1_000 }),
  });
  if (flags.background) announceRuns(session, []);
  if (flags.json && caller.engine() !== 'own') printJson(terminal, series);
  if (caller.engine() !== 'own') {
    terminal.err('The running engine watches the project. End it with manyhands watch stop.\n');
    return 0;
  }
  if (!flags.background) terminal.err('Watching the project; Ctrl-C ends this, manyhands watch continues it.\n');
  await follow(session, caller, dir);
  return 0;
}

/** Prints what happens until the watching ends or the user interrupts it. */
async function follow({ platform }: Session, caller: Caller, dir: string): Promise<void> {
  const { terminal } = platform;
  await using interrupts = listenForInterrupts({
    platform,
    caller,
    report: (text) => terminal.err(`${text}\n`),
    inFlight: () => [],
  });
  const { signal } = interrupts;
  for await (const { event } of caller.stream('follow-watch', { dir }, { signal })) {
    terminal.err(`${watchEventText(event)}\n`);
    if (event.type === 'watch.stopped') return;
  }
}

function defineReading(command: Command, session: Session): void {
  const { terminal } = session.platform;
  const show = command
    .command('show')
    .description('show proposals, discussions, draft reviews and the summary of the day');
  addHelp(addDir(addJson(show)), ['manyhands watch show', 'manyhands watch show --json'], READING_EXIT_CODES);
  whenCalled(show, session, {
    options: CommonOptions,
    act: async (flags) =>
      print(session, flags, await inProject(session, flags, (caller, dir) => caller.call('show-watch', { dir }))),
  });
  const stop = command.command('stop').description('stop watching; what was found is kept');
  addHelp(addDir(addJson(stop)), ['manyhands watch stop'], READING_EXIT_CODES);
  whenCalled(stop, session, {
    options: CommonOptions,
    act: async (flags) =>
      print(session, flags, await inProject(session, flags, (caller, dir) => caller.call('stop-watch', { dir }))),
  });
  const reply = command.command('reply').description('write to the watcher; an agent answers in the next round');
  reply.argument('<text...>', 'the message; begin with d1 to continue that discussion');
  addHelp(
    addDir(addJson(reply)),
    ['manyhands watch reply "What should we test next?"', 'manyhands watch reply d1 "Thanks, why?"'],
    READING_EXIT_CODES,
  );
  whenCalled(reply, session, {
    options: CommonOptions,
    act: async (flags, words) => {
      const [first = '', ...more] = words;
      const isKnown = /^d\d+$/.test(first) && more.length > 0;
      const message = isKnown ? { discussion: first, text: more.join(' ') } : { text: words.join(' ') };
      const discussion = await inProject(session, flags, (caller, dir) =>
        caller.call('reply-watch', { dir, ...message }),
      );
      if (flags.json) printJson(terminal, discussion);
      else terminal.err(`Recorded in ${discussion.id}; see manyhands watch show for the answer.\n`);
      return 0;
    },
  });
}

function print(
  { platform: { terminal } }: Session,
  { json }: { json: boolean },
  series: OperationOutput<'show-watch'>,
): number {
  if (json) printJson(terminal, series);
  else printLines(terminal, watchLines(series));
  return 0;
}

function defineProposals(command: Command, session: Session): void {
  const accept = command
    .command('accept')
    .description('accept a proposal: it becomes a run')
    .argument('<proposal>', 'such as p3');
  addStartOptions(accept, session).option('--note <text>', 'what the agent should know in addition');
  addHelp(
    accept,
    ['manyhands watch accept p3', 'manyhands watch accept p3 --note "keep the API" --detach'],
    EXIT_CODES,
  );
  whenCalled(accept, session, {
    options: AcceptFlags,
    act: async ({ note, ...flags }, [proposal = '']) => {
      const options = await startOptions(session.platform.terminal, flags);
      const input = { proposal, options, ...(note === undefined ? {} : { note }) };
      return work(session, {
        ...flags,
        dir: options.dir,
        begin: async (caller) => [(await caller.call('accept-proposal', input)).run],
      });
    },
  });
  const reject = command
    .command('reject')
    .description('reject a proposal; it is not made again')
    .argument('<proposal>', 'such as p3');
  reject.requiredOption('--reason <text>', 'why, which the watcher remembers');
  addHelp(addDir(addJson(reject)), ['manyhands watch reject p4 --reason "we want it that way"'], READING_EXIT_CODES);
  whenCalled(reject, session, {
    options: ReasonFlags,
    act: async ({ reason, ...flags }, [proposal = '']) => {
      const rejected = await inProject(session, flags, (caller, dir) =>
        caller.call('reject-proposal', { dir, proposal, reason }),
      );
      if (flags.json) printJson(session.platform.terminal, rejected);
      else session.platform.terminal.err(`Rejected ${rejected.id}: ${rejected.title}\n`);
      return 0;
    },
  });
}

function defineReviews(command: Command, session: Session): void {
  for (const post of [true, false]) {
    const name = post ? 'post' : 'discard';
    const review = command
      .command(name)
      .description(`${name} the draft review of a pull request`)
      .argument('<number>', 'the number of the pull request');
    addHelp(addDir(addJson(review)), [`manyhands watch ${name} 12`], READING_EXIT_CODES);
    whenCalled(review, session, {
      options: CommonOptions,
      act: async (flags, [text = '']) => {
        const number = Number(text.replace(/^[#!]/, ''));
        const settled = await inProject(session, flags, (caller, dir) =>
          caller.call('settle-draft-review', { dir, number, post }),
        );
        if (flags.json) printJson(session.platform.terminal, settled);
        else session.platform.terminal.err(`The review of #${settled.number} is ${settled.status}.\n`);
        return 0;
      },
    });
  }
}
