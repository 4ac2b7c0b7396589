import { type Stats, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { RunId, TaskKey } from '../schema/ids.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The run and the task that the operands name; without a run, the project's latest. */
export type Target = { run?: string; task?: string };

/** What the id of a run can begin with; the names of tasks can have other letters. */
const RUN_BEGINNING = /^[0-9a-hjkmnp-tv-z]{1,8}$/i;

/** Reads `RUN`, `RUN TASK`, `RUN/TASK`, or `TASK` of the latest run. */
export function parseTarget(args: readonly string[]): Target {
  const [first, second] = args;
  if (first === undefined) return {};
  if (second !== undefined) return { run: first, task: second };
  const slash = first.indexOf('/');
  if (slash < 0) return { run: first };
  const [head, rest] = [first.slice(0, slash), first.slice(slash + 1)];
  const isRun = RunId.safeParse(head).success || (RUN_BEGINNING.test(head) && TaskKey.safeParse(rest).success);
  return isRun ? { run: head, task: rest } : { task: first };
}

/** The absolute path of the project folder; a missing folder is a usage error. */
export async function resolveDir(terminal: Terminal, dir: string | undefined): Promise<string> {
  const path = dir !== undefined && isAbsolute(dir) ? resolve(dir) : resolve(terminal.cwd, dir ?? '.');
  const found = statOf(path);
  if (found?.isDirectory()) return path;
  throw new AppError('USAGE', found === undefined ? `The folder ${path} does not exist` : `${path} is not a folder`, {
    path,
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // What cannot be read counts as missing.
    return undefined;
  }
}
