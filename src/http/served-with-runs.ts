import { loadConfig } from '../config/load.ts';

/** Whether commands that work on a run are to open a server; asked before any of it is loaded. */
export async function isServedWithRuns(env: NodeJS.ProcessEnv, isLive: boolean): Promise<boolean> {
  const { withRuns } = (await loadConfig({ env })).server;
  return withRuns === 'always' || (withRuns === 'terminal' && isLive);
}
