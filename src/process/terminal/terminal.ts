import type { TerminalKind, TerminalSize } from './files.ts';
import { ptySize, resizePty, typeIntoPty, writePtyFiles } from './pty.ts';
import { captureTmux, resizeTmux, type Screen, typeIntoTmux } from './tmux.ts';
import { FOLDER_VARIABLE, writeTmuxFiles } from './tmux-script.ts';

/** A terminal in which a program runs, known by the folder of its launch; it belongs to no process of ours. */
export interface Terminal {
  type(bytes: Buffer): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** What it shows now; undefined where only its stream can tell. */
  screen(): Promise<Screen | undefined>;
  size(): Promise<TerminalSize>;
}

export type TerminalLaunch = { folder: string; command: readonly string[]; cwd: string; size: TerminalSize };

/** The terminal of a launch. */
export function terminalIn(folder: string, kind: TerminalKind): Terminal {
  return kind === 'tmux'
    ? {
        type: (bytes) => typeIntoTmux(folder, bytes),
        resize: (size) => resizeTmux(folder, size),
        screen: () => captureTmux(folder),
        size: async () => (await captureTmux(folder)).size,
      }
    : {
        type: (bytes) => typeIntoPty(folder, bytes),
        resize: (size) => resizePty(folder, size),
        screen: async () => undefined,
        size: async () => ptySize(folder),
      };
}

/** Prepares the folder and gives what to launch, so that the command runs in a terminal and the launch ends with it. */
export function inTerminal(
  kind: TerminalKind,
  order: TerminalLaunch,
): { command: string[]; env: Record<string, string> } {
  if (kind === 'pty') {
    const { command, cwd, size } = order;
    return { command: writePtyFiles(order.folder, { command: [...command], cwd, size }), env: {} };
  }
  return { command: writeTmuxFiles({ ...order, tmux: 'tmux' }), env: { [FOLDER_VARIABLE]: order.folder } };
}
