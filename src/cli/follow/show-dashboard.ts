import type { Caller } from '../../access/caller.ts';
import type { OwnServer, ServerHandle } from '../../access/server-handle.ts';
import { messageOf } from '../../errors.ts';
import type { Platform } from '../platform.ts';

/** The dashboard of a command that follows runs: its own server, or the one that already runs. */
export interface ShownDashboard extends AsyncDisposable {
  /** Prints the address of the run; opens a server if this process is the engine and the settings enable it. */
  show(caller: Caller, run: string): Promise<void>;
}

/** Closes its own server on disposal; a failure to serve is printed and otherwise ignored. */
export function dashboardOf(platform: Platform): ShownDashboard {
  let own: OwnServer | undefined;
  return {
    show: async (caller, run) => {
      const { terminal } = platform;
      try {
        const server = await openOrFind(platform, caller);
        if (server === undefined) return;
        if (Symbol.asyncDispose in server) own = server;
        const address = terminal.isLive ? await server.link(`/runs/${run}`) : `${server.url}/runs/${run}`;
        terminal.err(`Dashboard  ${address}\n`);
      } catch (error) {
        terminal.err(`note: the dashboard cannot be shown: ${messageOf(error)}\n`);
      }
    },
    [Symbol.asyncDispose]: async () => own?.[Symbol.asyncDispose](),
  };
}

async function openOrFind(platform: Platform, caller: Caller): Promise<ServerHandle | OwnServer | undefined> {
  if (!(await platform.isServedWithRuns())) return undefined;
  return caller.engine() === 'own' ? platform.openServer(caller, { kind: 'run' }) : platform.findServer();
}
