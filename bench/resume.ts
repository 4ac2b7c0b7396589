import { join } from 'node:path';
import { OwnEngine } from '../src/access/own-engine.ts';
import { openRun } from '../src/engine/start/open-run.ts';
import { resolveHome } from '../src/home.ts';
import { realWorld } from '../src/world.ts';
import { LEFT_RUN } from './dead-engine.ts';

/** Opens the data directory as its engine, resumes the run, and ends as soon as it is active. */
export async function resumeAndEnd(folder: string): Promise<never> {
  const home = resolveHome({ MANYHANDS_HOME: join(folder, 'home') });
  const own = await OwnEngine.open({ home, env: process.env, world: realWorld });
  if (own === undefined) throw new Error(`${home.root} is still locked`);
  own.engine.run(await openRun(own.engine, LEFT_RUN));
  if (own.engine.runs.size !== 1) throw new Error('The run was not resumed');
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}
