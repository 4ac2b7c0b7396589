import { z } from 'zod';
import type { OperationInput } from '../../../operations/all.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { startOrOutline } from '../../start/outline.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';

const Flags = StartFlags.extend({
  roles: z.string().optional(),
  write: z.boolean().default(false),
  planOnly: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands team "Let customers cancel an order"',
  'manyhands team "Replace the session store" --roles architecture,security --agent security=codex',
  'manyhands team "Let customers cancel an order" --write --check "npm test" --budget 10',
  'manyhands team @task.md --dry-run',
];

/** Lets several roles examine a task at the same time; with --write, what they accept is implemented. */
export const teamCommand: CliCommand = {
  name: 'team',
  group: 'Work',
  summary: 'let several roles examine a task, review each other and vote',
  define(command, session) {
    command.argument('<task...>', 'the task; - reads it from standard input, @file from a file');
    addStartOptions(command, session)
      .option('--roles <names>', 'the roles, separated by commas (default: requirements,architecture,security,testing)')
      .option('--write', 'let an implementer do what the roles accepted; another agent verifies it')
      .option('--plan-only', 'the same as --dry-run')
      .option('--dry-run', 'show the phases, the maximum cost and the stop conditions; start nothing');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, words) => startTeam(session, flags, words) });
  },
};

function startTeam(session: Session, flags: Flags, words: string[]): Promise<number> {
  const roles = flags.roles?.split(',').map((name) => name.trim());
  const input = { ...(roles === undefined ? {} : { roles }), ...(flags.write ? { write: true } : {}) };
  const request = (task: string, options: OperationInput<'start-run'>['options']) =>
    ({ recipe: 'team', input: { task, ...input }, options }) as const;
  return startOrOutline(session, { flags, words, request }, flags.dryRun || flags.planOnly);
}
