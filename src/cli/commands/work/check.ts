import { Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { WorkFormat } from '../../../schema/work-file.ts';
import { WorkCheck } from '../../../schema/work-plan.ts';
import { workCount, workNoun } from '../../../work-files/work-plan.ts';
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
  0  the file can be run
  2  the file has mistakes, or the command was not understood
  3  it could not be done; the message says why`;
const Told = z.object({ mistakes: WorkCheck.shape.mistakes });

/** Reads a work file and says what it is, or everything that is wrong with it. */
export const checkCommand: CliCommand = {
  name: 'check',
  group: 'Work',
  summary: 'read a work file and say what it is, or what is wrong with it',
  define(command, session) {
    command
      .argument('[file]', 'any file that run takes')
      .addOption(
        new Option('--format <format>', 'what it is, when the content does not tell').choices(WorkFormat.options),
      );
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, [given]) => checkFile(session, flags, given) });
  },
};

async function checkFile({ platform }: Session, flags: Flags, given: string | undefined): Promise<number> {
  const { terminal } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  try {
    const { file, work } = await readRequestedWork(terminal, { given, dir, format: flags.format });
    const count = workCount(work);
    if (flags.json) {
      const { format, recipe, notes } = work;
      printJson(terminal, { file, ok: true, format, recipe, count, notes, mistakes: [] } satisfies WorkCheck);
      return 0;
    }
    printLines(terminal, [`${file}: ${count} ${workNoun(work, count)} (${work.format}), no mistakes`]);
    for (const note of work.notes) terminal.err(`note: ${cleanText(note)}\n`);
    return 0;
  } catch (error) {
    const told = flags.json && error instanceof AppError ? mistakesOf(error) : undefined;
    if (told === undefined) throw error;
    printJson(terminal, told);
    return 2;
  }
}

function mistakesOf({ code, details }: AppError): WorkCheck | undefined {
  const told = Told.safeParse(details);
  if (code !== 'WORK_FILE_INVALID' || !told.success) return undefined;
  const nothing = { format: null, recipe: null, count: 0, notes: [] };
  return { file: String(details.file), ok: false, ...nothing, mistakes: told.data.mistakes };
}
