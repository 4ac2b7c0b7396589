import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { TaskKey } from '../schema/ids.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The run and the task that the operands name; without a run, the project's latest. */
export type Target = { run?: string; task?: string };

/** Reads `RUN`, `RUN TASK`, `RUN/TASK`, or `TASK` of the latest run. */
export function parseTarget(args: readonly string[]): Target {
  const [first, second] = args;
  if (first === undefined) return {};
  if (second !== undefined) return { run: first, task: second };
  const slash = first.indexOf('/');
  if (slash < 0) return { run: first };
  const rest = first.slice(slash + 1);
  return TaskKey.safeParse(rest).success ? { run: first.slice(0, slash), task: rest } : { task: first };
}

/** The absolute path of the project folder; a missing folder is a usage error. */
export async function resolveDir(terminal: Terminal, dir: string | undefined): Promise<string> {
  const path = resolve(terminal.cwd, dir ?? '.');
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  throw new AppError('USAGE', found === undefined ? `The folder ${path} does not exist` : `${path} is not a folder`, {
    path,
  });
}
