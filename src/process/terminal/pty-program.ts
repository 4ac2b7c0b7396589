import { appendFileSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { TERMINAL_FILES, type TerminalSize } from './files.ts';
import { PtyCommand, PtyInput } from './pty-input.ts';
import { SEGMENT_BYTES, segmentName, trimRing } from './ring.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('The folder of a terminal is missing');
await hold(folder);

/** Runs one program in a terminal, and ends with it: its output goes into files, its input comes from a FIFO. */
async function hold(directory: string): Promise<void> {
  const { command, cwd, size } = PtyInput.parse(
    JSON.parse(readFileSync(join(directory, TERMINAL_FILES.input), 'utf8')),
  );
  const [program = '', ...args] = command;
  const { spawn } = await import('@lydell/node-pty');
  const terminal = spawn(program, args, {
    name: 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd,
    env: { ...process.env, COLORTERM: 'truecolor' },
  });
  const write = ringWriter(directory);
  const typed = new StringDecoder('utf8');
  terminal.onData((text) => write(Buffer.from(text)));
  const control = followCommands(directory, {
    type: (bytes) => terminal.write(typed.write(bytes)),
    resize: ({ columns, rows }) => {
      terminal.resize(columns, rows);
      writeSize(directory, { columns, rows });
    },
  });
  writeSize(directory, size);
  // Keyboard signals reach the program through its terminal; SIGTERM and SIGHUP are forwarded to it.
  process.on('SIGTERM', () => terminal.kill('SIGTERM'));
  process.on('SIGHUP', () => terminal.kill('SIGHUP'));
  const { exitCode, signal } = await new Promise<{ exitCode: number; signal?: number }>((resolve) =>
    terminal.onExit(resolve),
  );
  const code = signal !== undefined && signal > 0 ? 128 + signal : exitCode;
  writeFileSync(join(directory, TERMINAL_FILES.programExit), `${code}\n`, { mode: 0o600 });
  control.destroy();
  process.exitCode = code;
}

function ringWriter(directory: string): (bytes: Buffer) => void {
  let start = 0;
  let length = 0;
  appendFileSync(join(directory, segmentName(start)), '', { mode: 0o600 });
  return (bytes) => {
    if (length >= SEGMENT_BYTES) {
      start += length;
      length = 0;
      appendFileSync(join(directory, segmentName(start)), '', { mode: 0o600 });
      trimRing(directory);
    }
    appendFileSync(join(directory, segmentName(start)), bytes, { mode: 0o600 });
    length += bytes.length;
  };
}

type CommandHandlers = { type(bytes: Buffer): void; resize(size: TerminalSize): void };

/** Opened for reading and writing, so that it does not end when a writer closes it. */
function followCommands(directory: string, { type, resize }: CommandHandlers): Socket {
  const fd = openSync(join(directory, TERMINAL_FILES.control), constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  createInterface({ input: fifo }).on('line', (line) => {
    const command = PtyCommand.safeParse(parse(line));
    if (!command.success) return;
    if ('type' in command.data) type(Buffer.from(command.data.type, 'base64'));
    else resize(command.data);
  });
  fifo.on('error', () => closeSync(fd));
  return fifo;
}

function writeSize(directory: string, size: TerminalSize): void {
  writeFileSync(join(directory, TERMINAL_FILES.size), JSON.stringify(size), { mode: 0o600 });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Any process of this user can write into the FIFO; invalid commands are ignored.
    return undefined;
  }
}
