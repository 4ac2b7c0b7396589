import type { Command } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const RoleFlags = CommonOptions.extend({ role: z.string().default('implement') });
const CheckFlags = RoleFlags.extend({
  tool: z.string().optional(),
  command: z.string().optional(),
  path: z.string().optional(),
  host: z.string().optional(),
});

const CHECK_EXAMPLES = [
  "manyhands policy check --role implement --tool Bash --command 'git push'",
  'manyhands policy check --tool Edit --path infra/main.tf',
  'manyhands policy check --tool WebFetch --host example.org --json',
];
const LIST_EXAMPLES = ['manyhands policy ls', 'manyhands policy ls --role review'];
const CHECK_EXIT_CODES = `Exit codes:
  0  it is allowed
  1  it is denied
  2  invalid command line
  3  the command failed; the message states the reason
  4  a person must approve it`;
const EXITS = { allow: 0, deny: 1, ask: 4 } as const;

/** Shows the rules about what agents may do, and what they decide. */
export const policyCommand: CliCommand = {
  name: 'policy',
  group: 'Maintenance',
  summary: 'show what agents may do, and which rule decides',
  define(command, session) {
    addHelp(command.helpCommand(false), [...CHECK_EXAMPLES, ...LIST_EXAMPLES], READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async () => {
        throw new AppError('USAGE', 'Name what to do: manyhands policy ls, or manyhands policy check');
      },
    });
    defineCheck(command.command('check'), session);
    defineList(command.command('ls'), session);
  },
};

function defineCheck(command: Command, session: Session): void {
  command
    .description('say what would happen if an agent did something, and which rule decides')
    .option('--role <role>', 'the role of the task', 'implement')
    .option('--tool <tool>', 'Read, Edit, Bash, WebFetch, or the name of a tool (default: Bash, Edit with --path)')
    .option('--command <command>', 'a shell command')
    .option('--path <path>', 'a file, relative to the repository')
    .option('--host <host>', 'a host name');
  addHelp(addDir(addJson(command)), CHECK_EXAMPLES, CHECK_EXIT_CODES);
  whenCalled(command, session, {
    options: CheckFlags,
    act: async ({ json, role, tool, command: line, path, host, ...flags }) => {
      const { terminal, openCaller } = session.platform;
      if (tool === undefined && line === undefined && path === undefined && host === undefined)
        throw new AppError('USAGE', 'Give at least one of --tool, --command, --path and --host');
      const dir = await resolveDir(terminal, flags.dir);
      const usual = line !== undefined ? 'Bash' : path !== undefined ? 'Edit' : 'WebFetch';
      const input = {
        dir,
        role,
        tool: tool ?? usual,
        ...(line === undefined ? {} : { command: line }),
        ...(path === undefined ? {} : { path }),
        ...(host === undefined ? {} : { host }),
      };
      await using caller = await openCaller(terminal.env);
      const decided = await caller.call('check-policy', input);
      if (json) printJson(terminal, decided);
      else {
        const colors = painter(terminal.colors.out);
        const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red }[decided.decision];
        printLines(terminal, [
          `${paint(decided.decision)}  ${oneLine(decided.subject)}`,
          `  rule: ${decided.rule ?? 'none applies'}`,
          `  ${oneLine(decided.happens)}`,
        ]);
      }
      return EXITS[decided.decision];
    },
  });
}

function defineList(command: Command, session: Session): void {
  command
    .description('list the rules for a role, in the order in which they are tried')
    .option('--role <role>', 'the role of the task', 'implement');
  addHelp(addDir(addJson(command)), LIST_EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: RoleFlags,
    act: async ({ json, role, ...flags }) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const policy = await caller.call('list-policy', { dir, role });
      if (json) printJson(terminal, policy);
      else {
        const columns = [
          { title: 'LIST', right: true },
          { title: 'DECISION' },
          { title: 'WHAT', most: 70 },
          { title: 'FROM' },
        ];
        const rows = policy.lists.flatMap((rules, index) =>
          rules.map((rule) => [String(index + 1), rule.decision, oneLine(whatOf(rule)), rule.source]),
        );
        printLines(terminal, tableLines(columns, rows, terminal.size().columns));
        terminal.err('In each list the first rule that applies decides; the strictest list counts.\n');
        for (const { key, reason } of policy.ignored) terminal.err(`${key} of the project has no effect: ${reason}\n`);
      }
      return 0;
    },
  });
}

function whatOf(rule: Record<'tool' | 'path' | 'command' | 'host', string[] | null>): string {
  const parts = (['tool', 'command', 'path', 'host'] as const).flatMap((key) => {
    const patterns = rule[key];
    return patterns === null ? [] : [`${key} ${patterns.join(', ')}`];
  });
  return parts.length === 0 ? 'everything' : parts.join('; ');
}
