import { loadConfig } from '../config/load.ts';

/** Whether commands that work on a run open a server; separate, so that the server is loaded only if so. */
export async function isServedWithRuns(env: NodeJS.ProcessEnv, isLive: boolean): Promise<boolean> {
  const { withRuns } = (await loadConfig({ env })).server;
  return withRuns === 'always' || (withRuns === 'terminal' && isLive);
}
