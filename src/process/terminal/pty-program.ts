import { appendFileSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { TERMINAL_FILES, type TerminalSize } from './files.ts';
import { PtyCommand, PtyInput } from './pty-input.ts';
import { SEGMENT_BYTES, segmentName, trimRing } from './ring.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('It is called with the folder of a terminal');
await hold(folder);

/** Holds a terminal for one program, and ends with it: what it shows goes into files, what is typed comes by a FIFO. */
async function hold(place: string): Promise<void> {
  const { command, cwd, size } = PtyInput.parse(JSON.parse(readFileSync(join(place, TERMINAL_FILES.order), 'utf8')));
  const [program = '', ...args] = command;
  const { spawn } = await import('@lydell/node-pty');
  const terminal = spawn(program, args, {
    name: 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd,
    env: { ...process.env, COLORTERM: 'truecolor' },
  });
  const write = ringWriter(place);
  const typed = new StringDecoder('utf8');
  terminal.onData((text) => write(Buffer.from(text)));
  const control = obey(place, {
    type: (bytes) => terminal.write(typed.write(bytes)),
    resize: ({ columns, rows }) => {
      terminal.resize(columns, rows);
      noteSize(place, { columns, rows });
    },
  });
  noteSize(place, size);
  // The signals of the keyboard go to the program through its terminal; a request to end is for the program.
  process.on('SIGTERM', () => terminal.kill('SIGTERM'));
  process.on('SIGHUP', () => terminal.kill('SIGHUP'));
  const { exitCode, signal } = await new Promise<{ exitCode: number; signal?: number }>((resolve) =>
    terminal.onExit(resolve),
  );
  const code = signal !== undefined && signal > 0 ? 128 + signal : exitCode;
  writeFileSync(join(place, TERMINAL_FILES.programExit), `${code}\n`, { mode: 0o600 });
  control.destroy();
  process.exitCode = code;
}

function ringWriter(place: string): (bytes: Buffer) => void {
  let start = 0;
  let length = 0;
  appendFileSync(join(place, segmentName(start)), '', { mode: 0o600 });
  return (bytes) => {
    if (length >= SEGMENT_BYTES) {
      start += length;
      length = 0;
      appendFileSync(join(place, segmentName(start)), '', { mode: 0o600 });
      trimRing(place);
    }
    appendFileSync(join(place, segmentName(start)), bytes, { mode: 0o600 });
    length += bytes.length;
  };
}

type Obeying = { type(bytes: Buffer): void; resize(size: TerminalSize): void };

/** Opened for both ends, so that it is never at its end when a writer leaves. */
function obey(place: string, { type, resize }: Obeying): Socket {
  const fd = openSync(join(place, TERMINAL_FILES.control), constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  createInterface({ input: fifo }).on('line', (line) => {
    const told = PtyCommand.safeParse(parse(line));
    if (!told.success) return;
    if ('type' in told.data) type(Buffer.from(told.data.type, 'base64'));
    else resize(told.data);
  });
  fifo.on('error', () => closeSync(fd));
  return fifo;
}

function noteSize(place: string, size: TerminalSize): void {
  writeFileSync(join(place, TERMINAL_FILES.size), JSON.stringify(size), { mode: 0o600 });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Anybody of this user can write into the FIFO; what is no order is none.
    return undefined;
  }
}
