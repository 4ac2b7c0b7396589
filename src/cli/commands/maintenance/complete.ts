import { type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { completionTree } from '../../completion/completion-tree.ts';
import { completionValues } from '../../completion/completion-values.ts';

/** Prints the completions for the words that the completion script passes. */
export const completeCommand: CliCommand = {
  name: 'complete',
  group: 'Maintenance',
  summary: 'print completions for a completion script',
  hidden: true,
  define(command, session) {
    command.argument('[words...]');
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (_, words) => {
        const values = await completionValues(session.platform, words);
        const tree = await completionTree(session, values);
        tree.parse([...words]);
        return 0;
      },
    });
  },
};
