import { z } from 'zod';
import type { OperationInput } from '../../../operations/all.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { startOrOutline } from '../../start/outline.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';

const Flags = StartFlags.extend({
  rounds: z.number().optional(),
  top: z.number().optional(),
  yes: z.boolean().default(false),
  planOnly: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands improve',
  'manyhands improve "the import of large files" --top 3 --check "npm test"',
  'manyhands improve --yes --rounds 5 --budget 20 --until 07:00',
  'manyhands improve --plan-only',
  'manyhands improve --dry-run',
];

/** Finds weak spots that a command shows, and keeps the improvements that measurably helped. */
export const improveCommand: CliCommand = {
  name: 'improve',
  group: 'Work',
  summary: 'find weak spots, and keep the improvements that measurably help',
  define(command, session) {
    command.argument('[focus...]', 'what to look at; - reads it from standard input, @file from a file');
    addStartOptions(command, session)
      .option('--rounds <n>', 'how often it discovers and improves (default: 1)', wholeNumber(1, 20))
      .option('--top <n>', 'improve the best n without asking', wholeNumber(1, 20))
      .option('--yes', 'improve all weak spots that a command shows (at most 10 in a round) without asking')
      .option('--plan-only', 'stop after discovery; manyhands approve chooses what to improve')
      .option('--dry-run', 'show the phases, the maximum cost and the stop conditions; start nothing');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, words) => startImprove(session, flags, words) });
  },
};

function startImprove(session: Session, flags: Flags, words: string[]): Promise<number> {
  const { rounds, top, yes, planOnly, dryRun } = flags;
  const input = {
    yes,
    planOnly,
    ...(rounds === undefined ? {} : { rounds }),
    ...(top === undefined ? {} : { top }),
  };
  const isAll = words.length === 0;
  const request = (focus: string, options: OperationInput<'start-run'>['options']) =>
    ({ recipe: 'improve', input: { ...input, ...(isAll ? {} : { focus }) }, options }) as const;
  return startOrOutline(session, { flags, words: isAll ? ['everything'] : words, request }, dryRun);
}
