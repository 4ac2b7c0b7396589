import type { Caller } from '../../access/caller.ts';
import type { OwnServer, ServerHandle } from '../../access/server-handle.ts';
import { messageOf } from '../../errors.ts';
import type { Platform } from '../platform.ts';

/** The dashboard while a command works on runs: its own server, or the one that is there. */
export interface ShownDashboard extends AsyncDisposable {
  /** Says where the run can be seen; opens a server if this process is the engine and the settings want one. */
  show(caller: Caller, run: string): Promise<void>;
}

/** It goes away when it is disposed of; that it cannot be shown is said, and hinders nothing. */
export function dashboardOf(platform: Platform): ShownDashboard {
  let own: OwnServer | undefined;
  return {
    show: async (caller, run) => {
      const { terminal } = platform;
      try {
        const door = await openOrFind(platform, caller);
        if (door === undefined) return;
        if (Symbol.asyncDispose in door) own = door;
        const place = terminal.isLive ? await door.link(`/runs/${run}`) : `${door.url}/runs/${run}`;
        terminal.err(`Dashboard  ${place}\n`);
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
