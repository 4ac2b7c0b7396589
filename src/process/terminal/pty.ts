import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, errorCode } from '../../errors.ts';
import { realWorld } from '../../world.ts';
import { TERMINAL_FILES, type TerminalSize, USUAL_SIZE } from './files.ts';
import { type PtyCommand, PtyInput } from './pty-input.ts';

/** A line of this much text is written whole or not at all, whoever else writes. */
const TYPED_AT_ONCE = 2_048;
const TRIES = 200;
const PAUSE_MS = 10;
const HOLD = `command -p mkfifo -m 600 "$1/${TERMINAL_FILES.control}" && shift && exec "$@"`;

/** Writes down what is to be started and gives the command that holds it in a terminal. */
export function writePtyFiles(folder: string, order: PtyInput): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, TERMINAL_FILES.order), JSON.stringify(order), { mode: 0o600 });
  return ['/bin/sh', '-c', HOLD, 'manyhands', folder, ...holder(), folder];
}

export async function typeIntoPty(folder: string, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += TYPED_AT_ONCE) {
    await tell(folder, { type: bytes.subarray(at, at + TYPED_AT_ONCE).toString('base64') });
  }
}

export async function resizePty(folder: string, size: TerminalSize): Promise<void> {
  await tell(folder, size);
}

/** The size that the terminal has now. */
export function ptySize(folder: string): TerminalSize {
  try {
    return PtyInput.shape.size.parse(JSON.parse(readFileSync(join(folder, TERMINAL_FILES.size), 'utf8')));
  } catch {
    // It is just being written, or the terminal has not begun.
    return USUAL_SIZE;
  }
}

async function tell(folder: string, command: PtyCommand): Promise<void> {
  const line = Buffer.from(`${JSON.stringify(command)}\n`);
  const fd = openControl(folder);
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (wrote(fd, line)) return;
      await realWorld.sleep(PAUSE_MS);
    }
  } finally {
    closeSync(fd);
  }
  throw new AppError('TERMINAL_ENDED', 'The terminal takes nothing more: its program does not read what is typed');
}

function openControl(folder: string): number {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    return openSync(join(folder, TERMINAL_FILES.control), flags);
  } catch (error) {
    if (errorCode(error) !== 'ENXIO' && errorCode(error) !== 'ENOENT') throw error;
    throw new AppError('TERMINAL_ENDED', 'The terminal has ended');
  }
}

function wrote(fd: number, line: Buffer): boolean {
  try {
    return writeSync(fd, line) === line.length;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}

/** Beside the built program, or the source of it, which Node runs as it is. */
function holder(): string[] {
  const built = fileURLToPath(new URL('./terminal.js', import.meta.url));
  const source = fileURLToPath(new URL('./pty-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}
