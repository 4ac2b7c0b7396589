import type { Command } from 'commander';
import type { Caller } from '../access/caller.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../access/server-handle.ts';
import type { World } from '../world.ts';
import type { RawScreen } from './terminal/raw-screen.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Questions } from './terminal/terminal-prompts.ts';

/** What the command line needs from the process around it; main.ts provides it, tests replace it. */
export interface Platform {
  readonly terminal: Terminal;
  readonly world: World;
  readonly version: string;
  /** Opens a caller; with `startEngine` this process never becomes the engine, but starts one where an operation needs it. */
  openCaller(env: NodeJS.ProcessEnv, options?: { startEngine(): Promise<void> }): Promise<Caller>;
  /** Reports SIGINT and SIGTERM; returns a function that removes the listener. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Starts this program in the background and returns what it announces. */
  detach(args: readonly string[], options: { passInput: boolean }): Promise<string>;
  /** In the background only: sends a text to the process that started this one. */
  announce(text: string): void;
  /** Asks the user a yes-or-no question; undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Asks the user for a line of text; undefined without a terminal, or when the user cancels. */
  ask(question: string): Promise<string | undefined>;
  /** Asks the user for a secret, which is not shown; undefined without a terminal, or when the user cancels. */
  askSecret(question: string): Promise<string | undefined>;
  /** Prompts for the user; undefined without a terminal. */
  questions(): Promise<Questions | undefined>;
  /** Opens the server of the data directory, or finds the one that another process runs. */
  openServer(caller: Caller, request: ServerRequest): Promise<OwnServer | ServerHandle>;
  /** The server that another process runs. */
  findServer(): Promise<ServerHandle | undefined>;
  /** Whether commands that follow a run also serve the dashboard. */
  isServedWithRuns(): Promise<boolean>;
  /** The token of a role, for programs; `renew` replaces it. */
  takeToken(role: 'operator' | 'viewer', renew: boolean): Promise<string>;
  /** Opens a window with this program and these arguments: a pane of tmux, or a terminal of the desktop; false where there is neither. */
  openWindow(args: readonly string[]): Promise<boolean>;
  /** Opens a folder in the file manager, or a page in the browser. */
  reveal(path: string): Promise<void>;
  /** Lets the user edit a file in $VISUAL or $EDITOR; refused without a terminal. */
  edit(file: string): Promise<void>;
  /** Calls back whenever an engine of the data directory may have started; returns a function that stops watching. */
  watchForEngine(listener: () => void): Promise<() => void>;
  /** With PostgreSQL: resolves when no server leads, or the signal aborts. */
  waitForVacancy(signal: AbortSignal): Promise<void>;
  /** The whole terminal in raw mode; undefined without a terminal. */
  takeScreen(): RawScreen | undefined;
  /** A temporary repository, removed on disposal. */
  makeScratchRepository(): Promise<ScratchRepository>;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

export interface ScratchRepository extends AsyncDisposable {
  readonly dir: string;
  /** A data directory of its own, so that the user's one is not touched. */
  readonly home: string;
}

/** One invocation of the program: its arguments, its exit code, and (for completion) the parser with every visible command. */
export type Session = { platform: Platform; argv: readonly string[]; exitCode: number; program(): Promise<Command> };
