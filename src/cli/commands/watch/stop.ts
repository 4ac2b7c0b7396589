import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { addHelp, addJson, type CliCommand, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';

const Flags = z.object({ agents: z.boolean().default(false), json: z.boolean().default(false) });

const EXAMPLES = ['manyhands stop', 'manyhands stop --agents'];

/** Ends the engine that runs, and with it the server. */
export const stopCommand: CliCommand = {
  name: 'stop',
  group: 'Watch',
  summary: 'end the server, or whatever carries the runs; agents go on',
  define(command, session) {
    command.option(
      '--agents',
      'stop the agents too and save their work; else they go on and the next start adopts them',
    );
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ agents, json }) => {
        const { terminal, openCaller } = session.platform;
        await using caller = await openCaller(terminal.env);
        const pid = await stop(caller, agents ? 'stop' : 'leave');
        if (json) printJson(terminal, { pid });
        else
          terminal.err(
            `Process ${pid} has ended; ${agents ? 'its agents are stopped and their work is saved' : 'its agents go on'}. Go on with: manyhands serve, or manyhands resume\n`,
          );
        return 0;
      },
    });
  },
};

/** Asks the engine to end, and waits until it has. */
async function stop(caller: Caller, agents: 'leave' | 'stop'): Promise<number> {
  await caller.call('list-runs', { limit: 1 });
  if (caller.engine() !== 'other') return (await caller.call('stop-engine', { agents })).pid;
  const life = caller.stream('watch-engine', {})[Symbol.asyncIterator]();
  await life.next();
  const { pid } = await caller.call('stop-engine', { agents });
  try {
    while ((await life.next()).done !== true);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ENGINE_GONE')) throw error;
  }
  return pid;
}
