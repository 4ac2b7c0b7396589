import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { outputText } from '../process/output-text.ts';
import { runSupervised } from '../process/supervised.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import { removeTree } from './copy-tree.ts';
import { commandFor } from './docker.ts';

export interface SetupRun {
  /** The data directory, which records running commands, so that a later engine can end them. */
  home: string;
  cwd: string;
  commands: Config['workspace']['setup'];
  config: Config['workspace'];
  env: Record<string, string>;
  signal: AbortSignal;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The folder with output and records of running set-up commands. */
export function setupsFolder(home: string): string {
  return join(home, 'setups');
}

/** Runs set-up or teardown commands one after another, each with its time limit; throws on the first that does not exit with 0. */
export async function runSetup(options: SetupRun, world: World = realWorld): Promise<void> {
  const timeoutMs = options.config.setupSeconds * 1000;
  for (const command of options.commands) {
    const folder = join(setupsFolder(options.home), world.token());
    try {
      const end = await runSupervised(
        {
          folder,
          command: commandFor(command, options.config.docker),
          cwd: options.cwd,
          env: options.env,
          timeoutMs,
          maxOutputBytes: MAX_OUTPUT_BYTES,
          signal: options.signal,
        },
        world,
      );
      if (end.isProvenSuccess && !end.timedOut) continue;
      const code = end.ending.kind === 'exited' ? `ended with exit code ${end.ending.code}` : 'was killed';
      const what = end.timedOut ? `did not end within ${options.config.setupSeconds} s` : code;
      const text = typeof command === 'string' ? command : command.join(' ');
      const output = await outputText(end.outputFile);
      throw new AppError('SETUP_FAILED', `The set-up command "${text}" ${what}: ${output.trim().slice(-2000)}`, {
        command,
        output,
      });
    } finally {
      await removeTree(folder);
    }
  }
}
