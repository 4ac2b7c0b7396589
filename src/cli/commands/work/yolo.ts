import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { runFile } from '../../start/run-file.ts';
import { addPullRequestOptions, addRunOptions, RunFlags } from '../../start/run-options.ts';

const EXAMPLES = [
  'manyhands yolo todo.md --check "npm test"',
  'manyhands yolo todo.md --with-review --yes',
  'manyhands yolo tasks.yaml --only login --sequential',
];

/** Runs a to-do list or a file of tasks through to pull requests without a stop. */
export const yoloCommand: CliCommand = {
  name: 'yolo',
  group: 'Work',
  summary: 'run a to-do list through to pull requests without a stop',
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
