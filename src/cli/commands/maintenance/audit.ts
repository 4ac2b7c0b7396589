import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { AuditCheck } from '../../../operations/audit/verify-audit.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const VerifyFlags = CommonOptions.extend({
  head: z.string().optional(),
  commit: z.string().optional(),
  bundle: z.string().optional(),
});
const ExportFlags = CommonOptions.extend({ output: z.string().optional() });

const VERIFY_EXAMPLES = [
  'manyhands audit verify',
  'manyhands audit verify k3v9x2ab',
  'manyhands audit verify --commit HEAD',
  'manyhands audit verify --head k3v9x2ab@42:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'manyhands audit verify --bundle ./k3v9x2ab-audit',
];
const EXPORT_EXAMPLES = ['manyhands audit export k3v9x2ab', 'manyhands audit export k3v --output ./for-the-auditor'];
const VERIFY_EXIT_CODES = `Exit codes:
  0  nothing contradicts the chain, and the given head holds
  2  invalid command line
  3  the command failed; the message states the reason
  4  something was altered, dropped or reordered`;

/** Shows that the record of runs was not changed, and exports it. */
export const auditCommand: CliCommand = {
  name: 'audit',
  group: 'Maintenance',
  summary: 'verify the record of runs, and export it for an auditor',
  define(command, session) {
    addHelp(command.helpCommand(false), [...VERIFY_EXAMPLES.slice(0, 3), ...EXPORT_EXAMPLES], READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async () => {
        throw new AppError('USAGE', 'Name what to do: manyhands audit verify, or manyhands audit export <run>');
      },
    });
    defineVerify(command.command('verify'), session);
    defineExport(command.command('export'), session);
  },
};

function defineVerify(command: Command, session: Session): void {
  command
    .description('verify that no recorded event was altered, dropped or reordered')
    .argument('[run]', 'default: every stream of the data directory')
    .option('--head <head>', 'compare with this head, which you kept: <run>@<event>:<hash>')
    .option('--commit <commit>', 'compare with the head in the Manyhands-Audit trailer of this commit')
    .option('--bundle <folder>', 'compare with an audit bundle, and verify the bundle');
  addHelp(addDir(addJson(command)), VERIFY_EXAMPLES, VERIFY_EXIT_CODES);
  whenCalled(command, session, {
    options: VerifyFlags,
    act: async ({ json, head, commit, bundle, ...flags }, [run]) => {
      const { terminal, openCaller } = session.platform;
      if ([head, commit, bundle].filter((each) => each !== undefined).length > 1)
        throw new AppError('USAGE', 'Give only one of --head, --commit and --bundle');
      const target = {
        ...(run === undefined ? {} : { run }),
        ...(head === undefined ? {} : { head }),
        ...(commit === undefined ? {} : { commit, dir: await resolveDir(terminal, flags.dir) }),
        ...(bundle === undefined ? {} : { bundle: resolve(terminal.cwd, bundle) }),
      };
      await using caller = await openCaller(terminal.env);
      const check = await caller.call('verify-audit', target);
      if (json) printJson(terminal, check);
      else printLines(terminal, checkLines(check, painter(terminal.colors.out)));
      return check.intact ? 0 : 4;
    },
  });
}

function defineExport(command: Command, session: Session): void {
  command
    .description('write an audit bundle of a run, signed with your git signing key if you have one')
    .argument('[run]', 'default: the latest run of the project')
    .option('-o, --output <folder>', 'a folder that does not exist yet (default: <run>-audit)');
  addHelp(addDir(addJson(command)), EXPORT_EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: ExportFlags,
    act: async ({ json, output, ...flags }, [named]) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const ref = { dir, ...(named === undefined ? {} : { run: named }) };
      const { run } = await caller.call('show-run', ref);
      const folder = resolve(terminal.cwd, output ?? `${run}-audit`);
      const written = await caller.call('export-audit', { ...ref, folder });
      if (json) printJson(terminal, written);
      else {
        const signed = written.unsigned === null ? 'signed' : `not signed: ${written.unsigned}`;
        terminal.err(`Wrote ${written.events} events of run ${run} to ${folder} (${oneLine(signed)})\n`);
        terminal.out(`${written.head}\n`);
      }
      return 0;
    },
  });
}

function checkLines({ intact, streams, against, signature, notProven }: AuditCheck, colors: Painter): string[] {
  const events = streams.reduce((sum, each) => sum + each.events, 0);
  const broken = streams.filter((each) => each.broken !== null);
  const found = [
    ...broken.map(({ stream, broken: why }) => `  ${stream}: ${oneLine(why ?? '')}`),
    ...(against === null
      ? []
      : [`  ${against.holds ? '✓' : '✗'} against ${against.source} ${against.head}: ${against.detail}`]),
    ...(signature === null ? [] : [`  signature: ${oneLine(signature)}`]),
    ...(streams.length === 1 && streams[0]?.head != null ? [`  head: ${streams[0].head}`] : []),
  ];
  const count = `${events} events in ${streams.length} ${streams.length === 1 ? 'stream' : 'streams'}`;
  return [
    intact ? `${colors.green('✓ intact')}  ${count}` : `${colors.red('✗ changed')}  ${count}`,
    ...found,
    colors.dim('This does not prove:'),
    ...notProven.map((each) => colors.dim(`  - ${each}`)),
  ];
}
