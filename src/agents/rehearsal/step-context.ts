import type { RunResult } from '../../process/run.ts';
import { run } from '../../process/run.ts';
import type { World } from '../../world.ts';
import type { RehearsalLine } from './rehearsal-line.ts';

/** Where steps are performed: the workspace, and the writer of event lines. */
export interface StepContext {
  workspace: string;
  env: Record<string, string>;
  world: World;
  write(line: RehearsalLine): void;
}

/** Longer than any test suite of a rehearsal; the attempt's own limits end it earlier. */
const RUN_TIMEOUT_MS = 3_600_000;

/** Runs a program in the workspace to its end. */
export function runInContext(context: StepContext, command: readonly string[]): Promise<RunResult> {
  return run(command, { cwd: context.workspace, env: context.env, timeoutMs: RUN_TIMEOUT_MS });
}
