import { type Caller, isElsewhere } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { OpenQuestion } from '../../../operations/questions/list-questions.ts';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { printJson } from '../../render/output.ts';
import { readGoalText } from '../../start/goal-text.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const EXAMPLES = [
  'manyhands answer "Use the second one"',
  'manyhands answer k3v9x2ab q3-1 "Use the second one"',
  'manyhands answer k3v9x2ab q3-1 2',
  'manyhands answer k3v9x2ab q3-1 @answer.md',
];

/** Answers a question of an agent; if no engine is running the run, this process becomes the engine. */
export const answerCommand: CliCommand = {
  name: 'answer',
  group: 'Control',
  summary: 'answer a question of an agent',
  define(command, session) {
    command
      .argument(
        '<answer...>',
        'the run and the question unless only one is open, then the answer: text, the number of an option, - for standard input, or @file',
      )
      .usage('[options] [run] [question] <answer...>');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: FollowOptions,
      act: async (flags, args) => {
        const { terminal } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          readsInput: args.at(-1) === '-',
          begin: async (caller) => {
            const { open, words } = await findQuestion(caller, { dir, args });
            const given = await readGoalText(terminal, words);
            const answer = /^\d+$/.test(given) ? (open.options[Number(given) - 1] ?? given) : given;
            const { run, question } = open;
            const document = await caller.call('answer-question', { run, question, answer });
            if (!isElsewhere(caller) || flags.detach) return [run];
            if (flags.json) printJson(terminal, document);
            else terminal.err(`Answered. ${open.label} continues: manyhands show ${run}\n`);
            return [];
          },
        });
      },
    });
  },
};

/** The question that the words name, else the only open one. */
async function findQuestion(
  caller: Caller,
  { dir, args }: { dir: string; args: readonly string[] },
): Promise<{ open: OpenQuestion; words: string[] }> {
  const isNamed = args.length > 1 && /^[0-9a-z]{3,8}$/.test(args[0] ?? '');
  const scope = isNamed ? { run: parseTarget([args[0] ?? '']).run ?? '' } : { dir };
  const rest = isNamed ? args.slice(1) : [...args];
  const found = await caller.call('list-questions', scope);
  const named = rest.length > 1 ? found.find(({ question }) => question === rest[0]) : undefined;
  if (named !== undefined) return { open: named, words: rest.slice(1) };
  const [only, second] = found;
  if (only === undefined) throw new AppError('QUESTION_UNKNOWN', 'No agent waits for an answer');
  if (second === undefined && !/^q\d+-\d+$/.test(rest[0] ?? '')) return { open: only, words: rest };
  throw new AppError(
    'USAGE',
    `Name the question: ${found.map(({ run, question }) => `manyhands answer ${run} ${question} <answer>`).join(', or ')}`,
  );
}
