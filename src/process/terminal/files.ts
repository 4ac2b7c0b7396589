import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import type { Ending } from '../launch.ts';

/** How a terminal is held: by tmux where there is one, else by a program of ours. */
export type TerminalKind = 'tmux' | 'pty';

export type TerminalSize = { columns: number; rows: number };

/** The size of a terminal that nobody looks at yet. */
export const USUAL_SIZE: TerminalSize = { columns: 120, rows: 40 };

/** The files of a terminal, in the folder of its launch. */
export const TERMINAL_FILES = {
  programExit: 'program-exit',
  pane: 'pane.sh',
  keep: 'keep.sh',
  settings: 'tmux.conf',
  socket: 'tmux.sock',
  control: 'control',
  order: 'terminal.json',
  size: 'terminal-size.json',
} as const;

/** Of what cannot be executed. */
const NOT_STARTED = 126;

/**
 * How the program in a terminal ended, by what it left itself. Without that, who held the terminal tells: ended by a
 * signal or without a word, it was taken away; ended with an error of its own, it could not be made.
 */
export function programEnding(folder: string, held: Ending): Ending {
  const code = /^(\d{1,3})\n$/.exec(readIfThere(join(folder, TERMINAL_FILES.programExit)))?.[1];
  if (code !== undefined) return { kind: 'exited', code: Number(code) };
  const hasFailed = held.kind === 'exited' && held.code > 0 && held.code < 128;
  return hasFailed ? { kind: 'exited', code: NOT_STARTED } : { kind: 'interrupted' };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
