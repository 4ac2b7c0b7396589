import { z } from 'zod';
import type { OperationInput } from '../../../operations/all.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { startOrOutline } from '../../start/outline.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';

const Flags = StartFlags.extend({
  sides: z.number().optional(),
  rounds: z.number().optional(),
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the option --then.
  then: z.string().optional(),
  loops: z.number().optional(),
  planOnly: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands debate "Should prices be stored as integers?"',
  'manyhands debate "Why is the import slow?" --agent claude,codex --rounds 5',
  'manyhands debate "How should retries work?" --then "Implement what was agreed" --check "npm test"',
  'manyhands debate "What is the weakest test?" --then "Fix it" --loops 3 --budget 10',
  'manyhands debate @question.md --dry-run',
];

/** Lets agents debate a question; with --then, what they agree on is done and verified by another side. */
export const debateCommand: CliCommand = {
  name: 'debate',
  group: 'Work',
  summary: 'let agents debate a question until they agree with evidence',
  define(command, session) {
    command.argument('<question...>', 'the question; - reads it from standard input, @file from a file');
    addStartOptions(command, session)
      .option('--sides <n>', 'how many agents debate (default: 2)', wholeNumber(2, 5))
      .option('--rounds <n>', 'maximum number of rounds (default: 3)', wholeNumber(1, 10))
      .option('--then <task>', 'what to do with the outcome if they agree; another side verifies it')
      .option('--loops <n>', 'with --then: how often debate, action and verification are repeated', wholeNumber(1, 20))
      .option('--plan-only', 'the same as --dry-run')
      .option('--dry-run', 'show the phases, the maximum cost and the stop conditions; start nothing');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, words) => startDebate(session, flags, words) });
  },
};

function startDebate(session: Session, flags: Flags, words: string[]): Promise<number> {
  const { sides, rounds, then: action, loops } = flags;
  const input = {
    ...(sides === undefined ? {} : { sides }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(action === undefined ? {} : { action }),
    ...(loops === undefined ? {} : { loops }),
  };
  const request = (question: string, options: OperationInput<'start-run'>['options']) =>
    ({ recipe: 'debate', input: { question, ...input }, options }) as const;
  return startOrOutline(session, { flags, words, request }, flags.dryRun || flags.planOnly);
}
