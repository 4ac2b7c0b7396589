import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { AppError, fromSystemError, messageOf } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Format = z.enum(['md', 'html']);
const Flags = CommonOptions.extend({
  format: Format.optional(),
  output: z.string().optional(),
  full: z.boolean().default(false),
  team: z.boolean().default(false),
  pressure: z.boolean().default(false),
  days: z.int().min(1).max(3_650).optional(),
});

const EXAMPLES = [
  'manyhands report',
  'manyhands report k3v9x2ab --output report.html',
  'manyhands report k3v --full --output run.html',
  'manyhands report k3v --format html > report.html',
  'manyhands report --team --days 30',
  'manyhands report --pressure --json',
];

/** Writes a report of a run (request, changes, evidence, risks, cost, decisions), or of the work on the project. */
export const reportCommand: CliCommand = {
  name: 'report',
  group: 'Watch',
  summary: 'write a report: request, changes, evidence, decisions',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.addOption(
      new Option('--format <format>', 'default: md, or the extension of the file').choices(Format.options),
    );
    command
      .option('--full', 'also the time line, the patch and the transcript of every attempt')
      .option('-o, --output <file>', 'write to this file instead of stdout')
      .addOption(new Option('--team', 'who did what: agents by role, results, time, cost').conflicts('pressure'))
      .option('--pressure', 'what limits the work: agents against limits, waits, retries, cost by cause')
      .addOption(
        new Option('--days <number>', 'with --team or --pressure: runs of this many days (default: 7)').argParser(
          wholeNumber(1, 3_650),
        ),
      );
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ format, output, full, json, team, pressure, days, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const chosen = format ?? (output !== undefined && /\.html?$/i.test(output) ? 'html' : 'md');
        await using caller = await openCaller(terminal.env);
        const request = { dir, format: chosen, ...(run === undefined ? {} : { run }) };
        if (days !== undefined && !team && !pressure)
          throw new AppError('INPUT_INVALID', '--days needs --team or --pressure');
        if (full && (team || pressure)) throw new AppError('INPUT_INVALID', '--full is about one run');
        const period = days === undefined ? {} : { days };
        const report = team
          ? await caller.call('report-team', { ...request, ...period })
          : pressure
            ? await caller.call('report-pressure', { ...request, ...period })
            : await caller.call('report-run', { ...request, full });
        const file = output === undefined ? null : resolve(terminal.cwd, output);
        if (file !== null) await write(file, report.text);
        if (json) printJson(terminal, { ...report, file });
        else if (file === null) terminal.out(report.text);
        else terminal.err(`Wrote the report${'run' in report ? ` of run ${report.run}` : ''} to ${file}\n`);
        return 0;
      },
    });
  },
};

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const known = fromSystemError(error, `writing the report ${file}`);
    if (known instanceof AppError) throw known;
    throw new AppError('INPUT_INVALID', `The report cannot be written to ${file}: ${messageOf(error)}`, { file });
  }
}
