import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { Decision, Judgement } from '../../../schema/acceptance.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { INTERRUPTED } from '../../exit-code.ts';
import { followRun } from '../../follow/follow-run.ts';
import { conclude } from '../../follow/work.ts';
import type { Platform } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ agent: z.union([z.string(), z.boolean()]).optional() });

const EXAMPLES = ['manyhands judge', 'manyhands judge k3v9x2ab --agent claude', 'manyhands judge k3v --json'];

const JUDGE_EXIT_CODES = `Exit codes:
  0    approve: the result can be accepted
  1    revise: something is wrong or missing that agents can fix
  2    invalid command line
  3    the command failed; the message states the reason
  4    block: you must decide
  130  interrupted; manyhands resume continues the run`;

const EXITS: Record<Decision, number> = { approve: 0, revise: 1, block: 4 };

/** Judges a run by rules; an agent can judge as well, which can only make the judgement stricter. */
export const judgeCommand: CliCommand = {
  name: 'judge',
  group: 'Watch',
  summary: 'judge a run: approve, revise or block',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.option(
      '-a, --agent [agent]',
      'also ask an agent (a name or command:<program>); it can only make the judgement stricter',
    );
    addHelp(addDir(addJson(command)), EXAMPLES, JUDGE_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ agent, json, ...flags }, [named]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const { run } = await caller.call('show-run', { dir, ...(named === undefined ? {} : { run: named }) });
        const opinions: string[] = [];
        if (agent !== undefined && agent !== false) {
          const opinion = await askAgent(session.platform, caller, { dir, run, agents: agent === true ? [] : [agent] });
          if (opinion === undefined) return INTERRUPTED;
          opinions.push(opinion);
        }
        const judgement = await caller.call('judge-run', { dir, run, opinions });
        if (json) printJson(terminal, judgement);
        else printLines(terminal, judgementLines(judgement, painter(terminal.colors.out)));
        return EXITS[judgement.decision];
      },
    });
  },
};

/** The run in which the agent answered; undefined when the user interrupted it. */
async function askAgent(
  platform: Platform,
  caller: Caller,
  { dir, run, agents }: { dir: string; run: string; agents: string[] },
): Promise<string | undefined> {
  const since = platform.world.now();
  const opinion = await caller.call('ask-judge', { dir, run, agents });
  const followed = await followRun({ platform, caller, dir, run: opinion.run, since, takesOver: true });
  if (followed.kind === 'settled') return opinion.run;
  conclude(platform, opinion.run, followed);
  return undefined;
}

function judgementLines({ run, title, decision, reasons, missing, voices }: Judgement, colors: Painter): string[] {
  const paint = { approve: colors.green, revise: colors.yellow, block: colors.red }[decision];
  return [
    `${paint(decision)}  ${colors.bold(oneLine(title))}  ${colors.dim(run)}`,
    ...reasons.map((reason) => `  - ${oneLine(reason)}`),
    ...(missing.length === 0 ? [] : [colors.bold('Missing'), ...missing.map((part) => `  - ${oneLine(part)}`)]),
    ...(voices.length < 2
      ? []
      : [colors.bold('Opinions'), ...voices.map((voice) => `  ${voice.by}: ${voice.decision}`)]),
  ];
}
