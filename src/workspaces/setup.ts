import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { LaunchLimits } from '../process/launch.ts';
import { countLines, outputText } from '../process/output-text.ts';
import { removeTree } from '../process/remove-later.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import { runSupervised } from '../process/supervised.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import { commandFor } from './docker.ts';

/** What the preparation of a workspace or checkout does now; `detail` is how far it is. */
type PreparationStep = { kind: 'workspace' | 'dependencies' | 'setup'; what: string; detail?: string };

/** A set-up command that ended. */
export type EndedSetup = {
  command: string;
  succeeded: boolean;
  exitCode: number | null;
  durationMs: number;
  /** The first and last lines of its output. */
  output: string;
  outputLines: number;
  /** The complete output, which is removed afterwards unless it is moved. */
  outputFile: string;
};

/** Follows the preparation of a workspace or checkout. */
export interface PreparationObserver {
  step(step: PreparationStep): void;
  /** Keeps the output of a set-up command; returns the file with the complete output, where it is kept. */
  setupEnded(ended: EndedSetup): Promise<string | undefined>;
}

export interface SetupRun {
  /** The data directory, which records running commands, so that a later engine can end them. */
  home: string;
  cwd: string;
  commands: Config['workspace']['setup'];
  config: Config['workspace'];
  env: Record<string, string>;
  /** Puts a command into its sandbox. */
  contain?: Contain | undefined;
  /** What such a command may use. */
  limits?: LaunchLimits | undefined;
  signal: AbortSignal;
  observer?: PreparationObserver | undefined;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MOST_MESSAGE_CHARS = 500;
const STATED_ERROR =
  /^\s*(?:(?:ERROR|FATAL|error|fatal|E):\s(?!subprocess-exited-with-error)|\[?ERR_PNPM_|[A-Z]\w*Error(?: \[\w+\])?:\s|Error(?: \[\w+\])?:\s)/;
/** npm states the error first, and ends with advice and the name of its log. */
const NPM_ERROR = /^npm (?:error|ERR!) (?!code )/;

/** The folder with output and records of running set-up commands. */
export function setupsFolder(home: string): string {
  return join(home, 'setups');
}

/** Runs set-up or teardown commands one after another, each with its time limit; throws on the first that does not exit with 0. */
export async function runSetup(options: SetupRun, world: World = realWorld): Promise<void> {
  for (const command of options.commands) await runCommand(options, command, world);
}

async function runCommand(options: SetupRun, command: SetupRun['commands'][number], world: World): Promise<void> {
  const { observer, config } = options;
  const folder = join(setupsFolder(options.home), world.token());
  const text = typeof command === 'string' ? command : command.join(' ');
  const what = `set-up: ${text}`;
  const startedAt = world.now();
  observer?.step({ kind: 'setup', what });
  try {
    const end = await runSupervised(
      {
        folder,
        command: commandFor(command, config.docker),
        cwd: options.cwd,
        env: options.env,
        contain: options.contain,
        limits: options.limits,
        timeoutMs: config.setupSeconds * 1000,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal: options.signal,
        onLastLine: (detail) => observer?.step({ kind: 'setup', what, detail }),
      },
      world,
    );
    const succeeded = end.isProvenSuccess && !end.timedOut;
    const exitCode = end.ending.kind === 'exited' && !end.timedOut ? end.ending.code : null;
    const { outputFile } = end;
    const ended = {
      command: text,
      exitCode,
      durationMs: Math.max(0, world.now() - startedAt),
      output: await outputText(outputFile),
      outputLines: await countLines(outputFile),
    };
    const kept = await observer?.setupEnded({ ...ended, succeeded, outputFile });
    if (succeeded) return;
    const code = exitCode === null ? 'was killed' : `ended with exit code ${exitCode}`;
    const how = end.excess?.text ?? (end.timedOut ? `did not end within ${config.setupSeconds} s` : code);
    throw new AppError('SETUP_FAILED', `The set-up command "${text}" ${how}: ${reasonIn(ended.output)}`, {
      ...ended,
      ...(kept === undefined ? {} : { outputFile: kept }),
    });
  } finally {
    await removeTree(folder);
  }
}

/** The line that states the error, because some programs end with general notes (pip: "error: subprocess-exited-with-error", Node: its version); else the last line. */
function reasonIn(output: string): string {
  const lines = output.trimEnd().split('\n');
  const stated = lines.find((line) => NPM_ERROR.test(line)) ?? lines.findLast((line) => STATED_ERROR.test(line));
  return (stated ?? lines.at(-1))?.trim().slice(0, MOST_MESSAGE_CHARS) || 'no output';
}
