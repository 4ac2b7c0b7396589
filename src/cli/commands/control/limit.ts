import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ agents: z.number() });

const EXAMPLES = ['manyhands limit --agents 4', 'manyhands limit k3v9x2ab --agents 40'];

/** Changes how many attempts of a run may be in flight. */
export const limitCommand: CliCommand = {
  name: 'limit',
  group: 'Control',
  summary: 'change how many attempts run in parallel',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .requiredOption('-n, --agents <n>', 'maximum number of parallel attempts, from 1 to 150', wholeNumber(1, 150));
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ agents, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const document = await caller.call('limit-run', { dir, agents, ...(run === undefined ? {} : { run }) });
        if (json) printJson(terminal, document);
        else
          terminal.err(
            `Run ${document.run} runs at most ${agents} ${agents === 1 ? 'attempt' : 'attempts'} in parallel.\n`,
          );
        return 0;
      },
    });
  },
};
