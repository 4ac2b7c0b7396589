import { join } from 'node:path';
import { readPlainStart } from '../files/plain-file.ts';
import type { Ending } from '../launch.ts';

/** What runs a terminal: tmux if available, else our own program. */
export type TerminalKind = 'tmux' | 'pty';

export type TerminalSize = { columns: number; rows: number };

/** The size of a terminal without a viewer. */
export const DEFAULT_SIZE: TerminalSize = { columns: 120, rows: 40 };

/** Through what is in it the terminal is controlled, so that its program must not see it: tmux would run commands for it. */
const CONTROL_FOLDER = 'terminal';

/** The files of a terminal, in the folder of its launch. */
export const TERMINAL_FILES = {
  programExit: 'program-exit',
  pane: 'pane.sh',
  keep: 'keep.sh',
  settings: 'tmux.conf',
  socket: `${CONTROL_FOLDER}/tmux.sock`,
  control: `${CONTROL_FOLDER}/control`,
  input: 'terminal.json',
  size: 'terminal-size.json',
} as const;

/** The folder through which the terminal of a launch is controlled. */
export function controlFolder(folder: string): string {
  return join(folder, CONTROL_FOLDER);
}

/** The exit code of a program that cannot be executed. */
const NOT_STARTED = 126;

/**
 * How the program in a terminal ended, by its own exit code file. Without that file the process that held the terminal
 * decides: killed by a signal or ended with 0, it was interrupted; ended with an error, the terminal was never started.
 */
export function programEnding(folder: string, holderEnding: Ending): Ending {
  const code = /^(\d{1,3}) *\n$/.exec(readPlainStart(join(folder, TERMINAL_FILES.programExit)) ?? '')?.[1];
  if (code !== undefined) return { kind: 'exited', code: Number(code) };
  const hasFailed = holderEnding.kind === 'exited' && holderEnding.code > 0 && holderEnding.code < 128;
  return hasFailed ? { kind: 'exited', code: NOT_STARTED } : { kind: 'interrupted' };
}
