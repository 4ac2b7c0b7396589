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

/** How the program in a terminal ended; who held the terminal ends with a code of his own, which says nothing. */
export function programEnding(folder: string): Ending {
  try {
    const code = /^(\d{1,3})\n$/.exec(readFileSync(join(folder, TERMINAL_FILES.programExit), 'latin1'))?.[1];
    return code === undefined ? { kind: 'interrupted' } : { kind: 'exited', code: Number(code) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'interrupted' };
    throw error;
  }
}
