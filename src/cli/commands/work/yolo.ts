import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { runFile } from '../../start/run-file.ts';
import { addPullRequestOptions, addRunOptions, RunFlags } from '../../start/run-options.ts';

const EXAMPLES = [
  'manyhands yolo todo.md --check "npm test"',
  'manyhands yolo todo.md --with-review --yes',
  'manyhands yolo tasks.yaml --only login --sequential',
];

/** Plans a to-do list, or reads a file of tasks, runs the tasks and opens pull requests, in one run. */
export const yoloCommand: CliCommand = {
  name: 'yolo',
  group: 'Work',
  summary: 'plan a to-do list, run its tasks and open pull requests',
  define(command, session) {
    command.argument('<file>', 'a to-do list in Markdown, tasks.yaml or task_config.yaml');
    addPullRequestOptions(addRunOptions(command, session));
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: RunFlags,
      act: (flags, [file]) => runFile(session, { flags, file, options: { through: true, recipes: ['todo', 'tasks'] } }),
    });
  },
};
