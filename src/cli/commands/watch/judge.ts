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
  0    approve: take it
  1    revise: something is wrong or missing that agents can mend
  2    the command was not understood
  3    it could not be done; the message says why
  4    block: a person must decide
  130  interrupted; manyhands resume goes on`;

const EXITS: Record<Decision, number> = { approve: 0, revise: 1, block: 4 };

/** Decides about a run by rules, and asks an agent who may only withhold. */
export const judgeCommand: CliCommand = {
  name: 'judge',
  group: 'Watch',
  summary: 'decide about a run: approve, revise or block',
  define(command, session) {
    command.argument('[run]', 'default: the latest run here');
    command.option('-a, --agent [agent]', 'also ask an agent: a name or command:<program>; its word can only withhold');
    addHelp(addDir(addJson(command)), EXAMPLES, JUDGE_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ agent, json, ...flags }, [asked]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const { run } = await caller.call('show-run', { dir, ...(asked === undefined ? {} : { run: asked }) });
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

/** The run in which the agent answered; undefined when a person broke off. */
async function askAgent(
  platform: Platform,
  caller: Caller,
  { dir, run, agents }: { dir: string; run: string; agents: string[] },
): Promise<string | undefined> {
  const since = platform.world.now();
  const asked = await caller.call('ask-judge', { dir, run, agents });
  const followed = await followRun({ platform, caller, dir, run: asked.run, since, takesOver: true });
  if (followed.kind === 'settled') return asked.run;
  conclude(platform, asked.run, followed);
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
      : [colors.bold('Who said what'), ...voices.map((voice) => `  ${voice.by}: ${voice.decision}`)]),
  ];
}
