import { type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { completionTree } from '../../completion/completion-tree.ts';
import { completionValues } from '../../completion/completion-values.ts';

/** Answers the completion script: what could stand at the end of the words. */
export const completeCommand: CliCommand = {
  name: 'complete',
  group: 'Maintenance',
  summary: 'answer a completion script',
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
