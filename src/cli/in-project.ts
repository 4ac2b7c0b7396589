import type { Caller } from '../access/caller.ts';
import type { Session } from './platform.ts';
import { resolveDir } from './target.ts';

/** Runs a function with the project of a command and a caller, which is closed afterwards. */
export async function inProject<T>(
  { platform }: Session,
  flags: { dir?: string | undefined },
  use: (caller: Caller, dir: string) => Promise<T>,
): Promise<T> {
  const { terminal, openCaller } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  return await use(caller, dir);
}
