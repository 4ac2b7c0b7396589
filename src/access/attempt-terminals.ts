import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { liveness } from '../process/identity.ts';
import { watchChanges } from '../process/terminal/changes.ts';
import type { TerminalSize } from '../process/terminal/files.ts';
import { ringRange } from '../process/terminal/ring.ts';
import { terminalIn } from '../process/terminal/terminal.ts';
import { watchTerminal } from '../process/terminal/watch.ts';
import { timeLimit } from '../process/time-limit.ts';
import { waitForExit } from '../process/wait-for-exit.ts';
import type { ProcessRecord } from '../schema/event.ts';
import type { World } from '../world.ts';

/** The terminal of an attempt: its kind, and the process whose exit ends it. */
export type HeldTerminal = {
  attempt: string;
  kind: 'tmux' | 'pty';
  process: ProcessRecord['identity'];
};

/** A piece of a terminal's output; with `reset` it replaces everything before it. */
export type TerminalOutput = {
  offset: number;
  data: Buffer;
  reset?: true;
  size?: { columns: number; rows: number };
};

type Listener = (size?: TerminalSize) => void;

/** How long to wait for a terminal to start before input is rejected. */
const START_LIMIT_MS = 10_000;
/** A file that is touched on every input, so that the inactivity limit counts a person's input. */
const TYPED = 'typed';

/** The terminals of attempts; input arrives in the order of the calls. */
export class AttemptTerminals {
  readonly #home: Home;
  readonly #world: World;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(home: Home, world: World) {
    this.#home = home;
    this.#world = world;
  }

  /** The current screen, or the output after an offset, then all further output until the terminal ends. */
  async *watch(held: HeldTerminal, after: number | undefined, signal: AbortSignal): AsyncGenerator<TerminalOutput> {
    const folder = this.#folderOf(held);
    const watched = new AbortController();
    const until = AbortSignal.any([signal, watched.signal]);
    let isOver = liveness(held.process) === 'gone';
    const onChange = (listener: Listener) => {
      waitForExit(folder, held.process, until).then(
        () => {
          isOver = true;
          listener();
        },
        // The watch was aborted, so no listener is left.
        () => {},
      );
      return this.#listen(held, listener);
    };
    try {
      const isLive = () => !isOver;
      yield* watchTerminal({ folder, kind: held.kind, after, isLive, onChange, signal: until, world: this.#world });
    } finally {
      watched.abort();
    }
  }

  type(held: HeldTerminal, bytes: Buffer): Promise<void> {
    return this.#inOrder(held, async () => {
      const folder = this.#folderOf(held);
      await requireBegun(held, folder, this.#world);
      await terminalIn(folder, held.kind).type(bytes);
      await writeFile(join(folder, TYPED), '', { mode: 0o600 });
    });
  }

  resize(held: HeldTerminal, size: { columns: number; rows: number }): Promise<void> {
    return this.#inOrder(held, async () => {
      const folder = this.#folderOf(held);
      await requireBegun(held, folder, this.#world);
      await terminalIn(folder, held.kind).resize(size);
      for (const listener of this.#listeners.get(held.attempt) ?? []) listener(size);
    });
  }

  #folderOf({ attempt }: HeldTerminal): string {
    return join(this.#home.attempts, attempt);
  }

  #inOrder({ attempt }: HeldTerminal, act: () => Promise<void>): Promise<void> {
    const before = this.#inFlight.get(attempt) ?? Promise.resolve();
    // A failure of the previous input was reported to its own caller.
    const turn = before.catch(() => {}).then(act);
    this.#inFlight.set(attempt, turn);
    const forget = () => {
      if (this.#inFlight.get(attempt) === turn) this.#inFlight.delete(attempt);
    };
    turn.then(forget, forget);
    return turn;
  }

  #listen({ attempt }: HeldTerminal, listener: Listener): () => void {
    const all = this.#listeners.get(attempt) ?? new Set();
    this.#listeners.set(attempt, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#listeners.delete(attempt);
    };
  }
}

async function requireBegun({ process }: HeldTerminal, folder: string, world: World): Promise<void> {
  if (liveness(process) === 'gone')
    throw new AppError('TERMINAL_ENDED', 'The terminal has ended: its program has exited');
  if (ringRange(folder) !== undefined) return;
  using limit = timeLimit(START_LIMIT_MS, world);
  const changes = watchChanges(folder, limit.signal);
  try {
    while (ringRange(folder) === undefined) await changes.next();
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    throw new AppError('TERMINAL_ENDED', 'The terminal has not started');
  } finally {
    changes.close();
  }
}
