import { z } from 'zod';
import { momentText } from '../../../core/view/amounts.ts';
import type { OpenQuestion } from '../../../operations/questions/list-questions.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText, oneLine } from '../../render/clean-text.ts';
import { printJson } from '../../render/output.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ all: z.boolean().default(false) });

/** Lists the questions of agents that wait for an answer. */
export const questionsCommand: CliCommand = {
  name: 'questions',
  group: 'Watch',
  summary: 'list the questions of agents that wait for an answer',
  define(command, session) {
    command.argument('[run]', 'default: all runs of the project').option('--all', 'of all projects');
    addHelp(addDir(addJson(command)), ['manyhands questions', 'manyhands questions --all --json'], READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ json, all, ...flags }, args) => {
        const { terminal, openCaller } = session.platform;
        const { run } = parseTarget(args);
        const scope = run !== undefined ? { run } : all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const questions = await caller.call('list-questions', scope);
        if (json) printJson(terminal, questions);
        else if (questions.length === 0) terminal.err('No agent waits for an answer.\n');
        else for (const question of questions) terminal.out(questionText(question));
        return 0;
      },
    });
  },
};

function questionText({ run, label, question, text, options, at, default: fallback, deadline }: OpenQuestion): string {
  const choices = options.map((option, index) => `  ${index + 1}. ${oneLine(option)}\n`).join('');
  const otherwise =
    fallback === null || deadline === null
      ? ''
      : `  At ${momentText(Date.parse(deadline))} the answer is: ${oneLine(fallback)}\n`;
  const command = `  manyhands answer ${run} ${question} "<answer>"\n`;
  return `${run} ${oneLine(label)}, ${momentText(Date.parse(at))}: ${cleanText(text)}\n${choices}${otherwise}${command}`;
}
