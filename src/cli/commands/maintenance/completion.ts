import { RootCommand } from '@bomb.sh/tab';
import { Argument } from 'commander';
import { addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';

const EXAMPLES = [
  'source <(manyhands completion bash)',
  'manyhands completion zsh >> ~/.zshrc',
  'manyhands completion fish > ~/.config/fish/completions/manyhands.fish',
];

/** Prints a script with which a shell completes commands, options, runs and tasks, for both names of the program. */
export const completionCommand: CliCommand = {
  name: 'completion',
  group: 'Maintenance',
  summary: 'print a completion script for bash, zsh or fish',
  define(command, session) {
    command.addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
    addHelp(command, EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (_, [shell = '']) => {
        for (const name of ['manyhands', 'mh']) session.platform.terminal.out(scriptFor(name, shell));
        return 0;
      },
    });
  },
};

/** The completion script of one name; its constants are not made readonly, so that it can be sourced again. */
function scriptFor(name: string, shell: string): string {
  return printedBy(() => new RootCommand().setup(name, name, shell)).replaceAll(/^readonly /gm, '');
}

/** What the library prints: it offers no other way to get its script. */
function printedBy(print: () => void): string {
  const { log } = console;
  let text = '';
  console.log = (line: unknown) => {
    text += `${String(line)}\n`;
  };
  try {
    print();
  } finally {
    console.log = log;
  }
  return text;
}
