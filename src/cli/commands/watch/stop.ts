import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { onThisMachine } from '../../../home.ts';
import { addHelp, addJson, type CliCommand, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';

const Flags = z.object({ agents: z.boolean().default(false), json: z.boolean().default(false) });

const EXAMPLES = ['manyhands stop', 'manyhands stop --agents'];

/** Stops the running engine, and with it the server. */
export const stopCommand: CliCommand = {
  name: 'stop',
  group: 'Watch',
  summary: 'stop the engine and its server; agents continue',
  define(command, session) {
    command.option(
      '--agents',
      'also stop the agents and save their work; otherwise they continue, and the next engine adopts them',
    );
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ agents, json }) => {
        const { terminal, openCaller } = session.platform;
        await using caller = await openCaller(onThisMachine(terminal.env));
        const pid = await stop(caller, agents ? 'stop' : 'leave');
        if (json) printJson(terminal, { pid });
        else
          terminal.err(
            `Process ${pid} has ended; ${agents ? 'its agents are stopped and their work is saved' : 'its agents continue'}. Continue with: manyhands serve, or manyhands resume\n`,
          );
        return 0;
      },
    });
  },
};

/** Requests the engine to end, and waits until it has ended. */
async function stop(caller: Caller, agents: 'leave' | 'stop'): Promise<number> {
  await caller.call('list-runs', { limit: 1 });
  if (caller.engine() !== 'other') return (await caller.call('stop-engine', { agents })).pid;
  const events = caller.stream('watch-engine', {})[Symbol.asyncIterator]();
  await events.next();
  const { pid } = await caller.call('stop-engine', { agents });
  try {
    while ((await events.next()).done !== true);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ENGINE_GONE')) throw error;
  }
  return pid;
}
