import { relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { shellWord } from '../../../core/view/shell-word.ts';
import { AppError } from '../../../errors.ts';
import { bulkText, itemsFor } from '../../../recipes/bulk/bulk-text.ts';
import { WorkText } from '../../../schema/work-file.ts';
import { addDir, addHelp, addJson, CommonOptions, collect, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson } from '../../render/output.ts';
import { createFile } from '../../start/create-file.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  glob: z.array(z.string()),
  exclude: z.array(z.string()).default([]),
  prompt: z.string().optional(),
  template: z.string().optional(),
  output: z.string().optional(),
  out: z.string().optional(),
  force: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  `manyhands bulk scan --glob 'src/**/*.ts' --prompt "Add a license header" --output tasks.jsonl`,
  `manyhands bulk scan --glob src --exclude '**/*.test.ts' --template "Document every export of {file}"`,
];

/** Adds the command that writes a file of items: one for each committed file that matches. */
export function addScan(parent: Command, session: Session): void {
  const command = parent.command('scan').description('write a file of items: one for each committed file that matches');
  command
    .requiredOption('--glob <glob>', 'files or folders; repeatable', collect)
    .option('--exclude <glob>', 'files or folders to exclude; repeatable', collect)
    .option('--prompt <text>', 'what to do in each file')
    .option('--template <text>', 'like --prompt, with {file}, {dir} and {name} replaced')
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .addOption(new Option('--out <file>', 'the same as --output').hideHelp())
    .option('--force', 'overwrite the file if it exists; a copy is kept');
  addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, { options: Flags, act: (flags) => scan(session, flags) });
}

async function scan({ platform }: Session, flags: Flags): Promise<number> {
  const { terminal } = platform;
  const instruction = instructionOf(flags);
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await platform.openCaller(terminal.env);
  const found = await caller.call('scan-files', { dir, globs: flags.glob, exclude: flags.exclude });
  if (found.files.length === 0)
    throw new AppError('INPUT_INVALID', `No committed file matches ${flags.glob.join(', ')}`, { glob: flags.glob });
  const text = bulkText(itemsFor(found.files, instruction));
  const named = flags.output ?? flags.out;
  const file = named === undefined ? null : resolve(terminal.cwd, named);
  const copy = file === null ? undefined : await createFile(file, text, flags.force);
  if (flags.json) printJson(terminal, { ...found, file });
  else if (file === null) terminal.out(text);
  if (file !== null) {
    const shown = relative(terminal.cwd, file) || file;
    const count = `${found.files.length} ${found.files.length === 1 ? 'item' : 'items'}`;
    terminal.err(`Wrote ${count} to ${shown}${copy === undefined ? '' : `; the previous file is kept as ${copy}`}\n`);
    terminal.err(`Run them with: manyhands bulk run ${shellWord(shown)}\n`);
  }
  return 0;
}

function instructionOf({ prompt, template }: Flags): { prompt: string } | { template: string } {
  const given = prompt ?? template;
  if (given === undefined || (prompt !== undefined && template !== undefined))
    throw new AppError('USAGE', 'Use either --prompt or --template to describe what to do in each file');
  const text = WorkText.safeParse(given);
  if (!text.success) throw new AppError('USAGE', `The text ${text.error.issues[0]?.message ?? 'cannot be used'}`);
  return prompt === undefined ? { template: text.data } : { prompt: text.data };
}
