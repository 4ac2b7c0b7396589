import type { Command } from 'commander';
import type { Caller } from '../access/caller.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../access/server-handle.ts';
import type { World } from '../world.ts';
import type { Questions } from './terminal/questions.ts';
import type { RawScreen } from './terminal/raw-screen.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What the command line needs of the world around it; main.ts fills it, tests replace it. */
export interface Platform {
  readonly terminal: Terminal;
  readonly world: World;
  readonly version: string;
  openCaller(env: NodeJS.ProcessEnv): Promise<Caller>;
  /** Tells of Ctrl-C and the request to end, while somebody listens; returns the way to stop it. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Starts this program again in the background and gives what it announces. */
  detach(args: readonly string[], options: { passInput: boolean }): Promise<string>;
  /** In the background only: tells the one who started us. */
  announce(text: string): void;
  /** Asks the person at the terminal for a yes or no; undefined where there is nobody to ask. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Asks that person for a line of text; undefined where there is nobody to ask, or they break off. */
  ask(question: string): Promise<string | undefined>;
  /** Questions to the person at the terminal; undefined where there is nobody to ask. */
  questions(): Promise<Questions | undefined>;
  /** Opens the server of the data directory, or finds the one that another process has open. */
  openServer(caller: Caller, request: ServerRequest): Promise<OwnServer | ServerHandle>;
  /** The server that another process has open. */
  findServer(): Promise<ServerHandle | undefined>;
  /** Whether commands that work on a run are to show the dashboard meanwhile. */
  isServedWithRuns(): Promise<boolean>;
  /** The token of a role, for programs; `renew` puts another in its place. */
  takeToken(role: 'operator' | 'viewer', renew: boolean): Promise<string>;
  /** Shows a folder in the file manager, or a page in the browser. */
  reveal(path: string): Promise<void>;
  /** Calls back whenever an engine of the data directory may have come; returns the way to stop it. */
  watchForEngine(listener: () => void): Promise<() => void>;
  /** The whole terminal, every key as it is pressed; undefined where there is none. */
  takeScreen(): RawScreen | undefined;
  /** A small repository to try things in, removed when it is disposed of. */
  makeScratchRepository(): Promise<ScratchRepository>;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

export interface ScratchRepository extends AsyncDisposable {
  readonly dir: string;
  /** A data directory of its own, so that trying leaves no trace. */
  readonly home: string;
}

/** One call of the program: its arguments, the code it will end with, and (for completion) the parser with every command that is shown. */
export type Session = { platform: Platform; argv: readonly string[]; exitCode: number; program(): Promise<Command> };
