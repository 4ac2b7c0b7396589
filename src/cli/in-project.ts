import type { Caller } from '../access/caller.ts';
import type { Session } from './platform.ts';
import { resolveDir } from './target.ts';

/** Does something with the project that a command is about, and closes the door behind it. */
export async function inProject<T>(
  { platform }: Session,
  flags: { dir?: string | undefined },
  act: (caller: Caller, dir: string) => Promise<T>,
): Promise<T> {
  const { terminal, openCaller } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  return await act(caller, dir);
}
