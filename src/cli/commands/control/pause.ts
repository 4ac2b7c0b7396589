import { z } from 'zod';
import { shellWord } from '../../../core/view/shell-word.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';

import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ track: z.string().optional(), reason: z.string().optional() });

const EXAMPLES = [
  'manyhands pause',
  'manyhands pause k3v9x2ab --track backend',
  'manyhands resume k3v9x2ab --track backend',
];

/** Stops starting attempts in a run or in one of its tracks. */
export const pauseCommand: CliCommand = {
  name: 'pause',
  group: 'Control',
  summary: 'stop starting attempts in a run or a track',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .option('--track <name>', 'only this track; default: the whole run')
      .option('--reason <text>', 'the reason, for the record');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ track, reason, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const document = await caller.call('pause-run', {
          dir,
          ...(run === undefined ? {} : { run }),
          ...(track === undefined ? {} : { track }),
          ...(reason === undefined ? {} : { reason }),
        });
        const what = track === undefined ? `Run ${document.run}` : `Track ${track} of run ${document.run}`;
        const next = `manyhands resume ${document.run}${track === undefined ? '' : ` --track ${shellWord(track)}`}`;
        if (json) printJson(terminal, document);
        else terminal.err(`${what} is paused; running attempts continue to their end. Resume it with: ${next}\n`);
        return 0;
      },
    });
  },
};
