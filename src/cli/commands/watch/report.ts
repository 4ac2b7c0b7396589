import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { AppError, fromSystemError, messageOf } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Format = z.enum(['md', 'html']);
const Flags = CommonOptions.extend({
  format: Format.optional(),
  output: z.string().optional(),
  full: z.boolean().default(false),
});

const EXAMPLES = [
  'manyhands report',
  'manyhands report k3v9x2ab --output report.html',
  'manyhands report k3v --full --output run.html',
];

/** Writes a report of a run: the request, the changes, the evidence, the risks, the cost and the decisions. */
export const reportCommand: CliCommand = {
  name: 'report',
  group: 'Watch',
  summary: 'write a report: request, changes, evidence, decisions',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.addOption(
      new Option('--format <format>', 'default: md, or the extension of the file').choices(Format.options),
    );
    command.option('--full', 'also the time line, the patch and the transcript of every attempt');
    command.option('-o, --output <file>', 'write to this file instead of stdout');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ format, output, full, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const chosen = format ?? (output !== undefined && /\.html?$/i.test(output) ? 'html' : 'md');
        await using caller = await openCaller(terminal.env);
        const report = await caller.call('report-run', {
          dir,
          format: chosen,
          full,
          ...(run === undefined ? {} : { run }),
        });
        const file = output === undefined ? null : resolve(terminal.cwd, output);
        if (file !== null) await write(file, report.text);
        if (json) printJson(terminal, { ...report, file });
        else if (file === null) terminal.out(report.text);
        else terminal.err(`Wrote the report of run ${report.run} to ${file}\n`);
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
