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

/** Starts the work that a file describes, whatever its format. */
export const runCommand: CliCommand = {
  name: 'run',
  group: 'Work',
  summary: 'do the work that a file describes: features, tasks, items, a workflow',
  define(command, session) {
    command.argument(
      '[file]',
      'features.json, tasks.yaml, tasks.jsonl, tasks.csv, todo.md, a workflow or a graph of tasks; without one, tasks.yaml or task_config.yaml of the folder',
    );
    addPullRequestOptions(addRunOptions(command))
      .option('--execute', 'with a to-do list: carry the tasks out at once, without pull requests')
      .option('-o, --output <file>', 'with a to-do list: where to write the tasks (default: tasks.yaml)')
      .option('--force', 'with a to-do list: replace that file if it is there; a copy of it is kept');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: RunFlags, act: (flags, [given]) => runFile(session, { flags, given }) });
  },
};
