import { closeSync, constants, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, errorCode } from '../../errors.ts';
import { realWorld } from '../../world.ts';
import { readPlainStart } from '../files/plain-file.ts';
import { controlFolder, DEFAULT_SIZE, TERMINAL_FILES, type TerminalSize } from './files.ts';
import { type PtyCommand, PtyInput } from './pty-input.ts';

/** A line with this much text is written atomically, even with concurrent writers. */
const TYPED_AT_ONCE = 2_048;
const MAX_WRITES = 200;
const PAUSE_MS = 10;
const HOLD = `command -p mkfifo -m 600 "$1/${TERMINAL_FILES.control}" && shift && exec "$@"`;

/** Writes the input file and returns the command that runs it in a terminal. */
export function writePtyFiles(folder: string, input: PtyInput): string[] {
  mkdirSync(controlFolder(folder), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, TERMINAL_FILES.input), JSON.stringify(input), { mode: 0o600 });
  return ['/bin/sh', '-c', HOLD, 'manyhands', folder, ...holder(), folder];
}

export async function typeIntoPty(folder: string, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += TYPED_AT_ONCE) {
    await send(folder, { type: bytes.subarray(at, at + TYPED_AT_ONCE).toString('base64') });
  }
}

export async function resizePty(folder: string, size: TerminalSize): Promise<void> {
  await send(folder, size);
}

/** The current size of the terminal. */
export function ptySize(folder: string): TerminalSize {
  try {
    return PtyInput.shape.size.parse(JSON.parse(readPlainStart(join(folder, TERMINAL_FILES.size)) ?? ''));
  } catch {
    // It is being written, or the terminal has not started.
    return DEFAULT_SIZE;
  }
}

async function send(folder: string, command: PtyCommand): Promise<void> {
  const line = Buffer.from(`${JSON.stringify(command)}\n`);
  const fd = openControl(folder);
  try {
    for (let writes = 0; writes < MAX_WRITES; writes += 1) {
      if (writeWhole(fd, line)) return;
      await realWorld.sleep(PAUSE_MS);
    }
  } finally {
    closeSync(fd);
  }
  throw new AppError('TERMINAL_ENDED', 'The terminal accepts no more input: its program does not read it');
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

function writeWhole(fd: number, line: Buffer): boolean {
  try {
    return writeSync(fd, line) === line.length;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}

/** The built program if there is one, else its source, which Node runs directly. */
function holder(): string[] {
  const built = fileURLToPath(new URL('./terminal.js', import.meta.url));
  const source = fileURLToPath(new URL('./pty-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}
