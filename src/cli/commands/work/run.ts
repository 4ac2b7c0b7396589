import { AppError } from '../../../errors.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { runFile } from '../../start/run-file.ts';
import { addPullRequestOptions, addRunOptions, RunFlags } from '../../start/run-options.ts';

const EXAMPLES = [
  'manyhands run features.json',
  'manyhands run tasks.jsonl --check "npm test" --max-parallel 8',
  'manyhands run tasks.yaml --only login,logout',
  'manyhands run todo.md',
  'manyhands run todo.md --execute',
  'manyhands run workflow.yaml --dry-run',
];

/** Runs a work file of any format. */
export const runCommand: CliCommand = {
  name: 'run',
  group: 'Work',
  summary: 'run a work file: features, tasks, items, a workflow',
  define(command, session) {
    command.argument(
      '[file]',
      'features.json, tasks.yaml, tasks.jsonl, tasks.csv, todo.md, a workflow or a graph of tasks (default: tasks.yaml or task_config.yaml)',
    );
    addPullRequestOptions(addRunOptions(command, session))
      .option('--execute', 'with a to-do list: run the tasks immediately, without pull requests')
      .option('-o, --output <file>', 'with a to-do list: the file to write the tasks to (default: tasks.yaml)')
      .option('--force', 'with a to-do list: overwrite that file if it exists; a copy is kept');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: RunFlags,
      act: (flags, [file]) => {
        if (file === undefined && /^\S+\.md$/.test(flags.title ?? ''))
          throw new AppError('USAGE', `-t is the title of a run. For the to-do list: manyhands run ${flags.title}`);
        return runFile(session, { flags, file });
      },
    });
  },
};
