import { Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { WorkFormat } from '../../../schema/work-file.ts';
import { errorLines } from '../../../work-files/input-errors.ts';
import { WorkCheck, workCount, workNoun } from '../../../work-files/work-plan.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import type { Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { readRequestedWork } from '../../start/requested-work.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ format: WorkFormat.optional() });
type Flags = z.infer<typeof Flags>;

const EXAMPLES = ['manyhands check features.json', 'manyhands check workflow.yaml --json'];
const EXIT_CODES = `Exit codes:
  0  the file is valid
  2  the file has errors, or the command line is invalid
  3  the command failed; the message states the reason`;
const InvalidFileDetails = z.object({ mistakes: WorkCheck.shape.mistakes });

/** Validates a work file and prints its format, or all of its errors. */
export const checkCommand: CliCommand = {
  name: 'check',
  group: 'Work',
  summary: 'validate a work file',
  define(command, session) {
    command
      .argument('[file]', 'any file that manyhands run accepts')
      .addOption(
        new Option('--format <format>', 'the format, if it is not recognized from the content').choices(
          WorkFormat.options,
        ),
      );
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, [file]) => checkFile(session, flags, file) });
  },
};

async function checkFile({ platform }: Session, flags: Flags, named: string | undefined): Promise<number> {
  const { terminal } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  try {
    const { file, work } = await readRequestedWork(terminal, { file: named, dir, format: flags.format });
    const count = workCount(work);
    if (flags.json) {
      const { format, recipe, notes } = work;
      printJson(terminal, { file, ok: true, format, recipe, count, notes, mistakes: [] } satisfies WorkCheck);
      return 0;
    }
    printLines(terminal, [`${file}: ${count} ${workNoun(work, count)} (${work.format}), no errors`]);
    for (const note of work.notes) terminal.err(`note: ${cleanText(note)}\n`);
    return 0;
  } catch (error) {
    const invalid = error instanceof AppError ? invalidFile(error) : undefined;
    if (invalid === undefined) throw error;
    if (!flags.json)
      throw new AppError('WORK_FILE_INVALID', errorLines(invalid.file, invalid.mistakes).join('\n'), {
        file: invalid.file,
      });
    printJson(terminal, invalid);
    return 2;
  }
}

function invalidFile({ code, details }: AppError): WorkCheck | undefined {
  const parsed = InvalidFileDetails.safeParse(details);
  if (code !== 'WORK_FILE_INVALID' || !parsed.success) return undefined;
  const empty = { format: null, recipe: null, count: 0, notes: [] };
  return { file: String(details.file), ok: false, ...empty, mistakes: parsed.data.mistakes };
}
