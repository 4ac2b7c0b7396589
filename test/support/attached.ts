import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import type { Scratch } from './scratch.ts';

/** The program in a real terminal, as a person has it before them. */
export type AtTerminal = {
  /** All that was shown so far. */
  shown(): string;
  /** Resolves when what was shown since the last time matches. */
  until(pattern: RegExp): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  kill(): void;
  readonly ended: Promise<number>;
};

const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));
const PATIENCE_MS = 30_000;

/** Starts `manyhands` in a terminal of 100 by 30. */
export function atTerminal(scratch: Scratch, args: readonly string[], env: Record<string, string> = {}): AtTerminal {
  return inTerminal(scratch, [process.execPath, LAUNCHER, ...args], env);
}

/** A shell in such a terminal, in which `mh` is the program. */
export async function atShell(scratch: Scratch, env: Record<string, string> = {}): Promise<AtTerminal> {
  const shell = inTerminal(scratch, ['sh', '-i'], {
    PS1: 'shell> ',
    ENV: '',
    MH: LAUNCHER,
    NODE: process.execPath,
    ...env,
  });
  await shell.until(/shell> /);
  shell.type('mh() { "$NODE" "$MH" "$@"; }\r');
  await shell.until(/shell> /);
  return shell;
}

function inTerminal(
  scratch: Scratch,
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
): AtTerminal {
  const terminal = spawn(program, args, {
    cols: 100,
    rows: 30,
    cwd: scratch.repo,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      HOME: scratch.root,
      MANYHANDS_HOME: scratch.home,
      LC_ALL: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...env,
    },
  });
  let text = '';
  let from = 0;
  let look = () => {};
  terminal.onData((data) => {
    text += data;
    look();
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    shown: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${pattern} was not shown in ${JSON.stringify(text.slice(from))}`)),
          PATIENCE_MS,
        );
        look = () => {
          const found = pattern.exec(text.slice(from));
          if (found === null) return;
          from += found.index + found[0].length;
          clearTimeout(late);
          look = () => {};
          resolve();
        };
        look();
      }),
    type: (typed) => terminal.write(typed),
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: () => terminal.kill('SIGKILL'),
    ended,
  };
}
