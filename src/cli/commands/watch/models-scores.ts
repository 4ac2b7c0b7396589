import type { Command } from 'commander';
import { z } from 'zod';
import { moneyText } from '../../../core/view/amounts.ts';
import type { ModelScore } from '../../../schema/model.ts';
import { addDir, addHelp, addJson, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ role: z.string().optional() });

const EXAMPLES = ['manyhands models scores', 'manyhands models scores --role review', 'manyhands models scores --json'];

const COLUMNS = [
  { title: 'ROLE' },
  { title: 'AGENT' },
  { title: 'MODEL' },
  { title: 'SCORE', right: true },
  { title: 'RESULTS', right: true },
  { title: 'COST', right: true },
  { title: 'BASED ON' },
];

/** Prints the score of each agent by role and model, and the results it is based on. */
export function addScores(models: Command, session: Session): void {
  const command = models.command('scores').description('scores of the agents, from verified results');
  command.option('--role <role>', 'only this role');
  addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: Flags,
    act: async ({ role, json, ...flags }) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const scores = await caller.call('score-models', { dir, ...(role === undefined ? {} : { role }) });
      if (json) printJson(terminal, scores);
      else if (scores.length === 0)
        terminal.err(
          'There are no verified results yet. They come from runs with checks and from manyhands models bench --execute.\n',
        );
      else {
        const [head, ...rows] = tableLines(COLUMNS, scores.map(cells), Number.MAX_SAFE_INTEGER);
        printLines(terminal, [painter(terminal.colors.out).dim(head ?? ''), ...rows]);
      }
      return 0;
    },
  });
}

function cells({ role, agent, model, score, results, cost, because, counts, ok }: ModelScore): string[] {
  const notes = [because, ...(counts ? [] : ['too few for routing']), ...(ok ? [] : ['not usable here'])];
  return [role, agent, model ?? '-', score.toFixed(2), String(results), moneyText(cost), notes.join('; ')];
}
