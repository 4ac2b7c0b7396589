import type { TerminalKind, TerminalSize } from './files.ts';
import { ptySize, resizePty, typeIntoPty, writePtyFiles } from './pty.ts';
import { captureTmux, resizeTmux, type Screen, typeIntoTmux } from './tmux.ts';
import { FOLDER_VARIABLE, writeTmuxFiles } from './tmux-script.ts';

/** A terminal in which a program runs, identified by the folder of its launch; no process of ours owns it. */
export interface Terminal {
  type(bytes: Buffer): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Its current content; undefined where only its output stream is available. */
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

/** Prepares the folder and returns what to launch, so that the command runs in a terminal and the launch ends with it. */
export function inTerminal(
  kind: TerminalKind,
  launch: TerminalLaunch,
): { command: string[]; env: Record<string, string> } {
  if (kind === 'pty') {
    const { command, cwd, size } = launch;
    return { command: writePtyFiles(launch.folder, { command: [...command], cwd, size }), env: {} };
  }
  return { command: writeTmuxFiles({ ...launch, tmux: 'tmux' }), env: { [FOLDER_VARIABLE]: launch.folder } };
}
