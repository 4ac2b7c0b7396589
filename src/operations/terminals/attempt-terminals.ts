import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeldTerminal, TerminalsPort } from '../../app/port-interfaces.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { liveness } from '../../process/identity.ts';
import { watchChanges } from '../../process/terminal/changes.ts';
import type { TerminalSize } from '../../process/terminal/files.ts';
import { ringRange } from '../../process/terminal/ring.ts';
import { terminalIn } from '../../process/terminal/terminal.ts';
import { watchTerminal } from '../../process/terminal/watch.ts';
import { timeLimit } from '../../process/time-limit.ts';
import { waitForExit } from '../../process/wait-for-exit.ts';
import type { World } from '../../world.ts';

type Listener = (size?: TerminalSize) => void;

/** How long a terminal may take to begin before what is typed is refused. */
const BEGIN_MS = 10_000;
/** Touched when something is typed, so that whoever watches the attempt knows that somebody is there. */
const TYPED = 'typed';

/** The terminals of attempts, by their folders; what is typed arrives in the order in which it was asked for. */
export function terminalsPort(home: Home, world: World): TerminalsPort {
  const turns = new Map<string, Promise<void>>();
  const listeners = new Map<string, Set<Listener>>();
  const folderOf = ({ attempt }: HeldTerminal) => join(home.attempts, attempt);

  function withMutex(held: HeldTerminal, act: () => Promise<void>): Promise<void> {
    const before = turns.get(held.attempt) ?? Promise.resolve();
    // Whoever came before was told of his own failure.
    const turn = before.catch(() => {}).then(act);
    turns.set(held.attempt, turn);
    const forget = () => {
      if (turns.get(held.attempt) === turn) turns.delete(held.attempt);
    };
    turn.then(forget, forget);
    return turn;
  }

  function listen({ attempt }: HeldTerminal, listener: Listener): () => void {
    const all = listeners.get(attempt) ?? new Set();
    listeners.set(attempt, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) listeners.delete(attempt);
    };
  }

  return {
    async *watch(held, after, signal) {
      const folder = folderOf(held);
      const watched = new AbortController();
      const until = AbortSignal.any([signal, watched.signal]);
      let isOver = liveness(held.process) === 'gone';
      const onNews = (tell: Listener) => {
        waitForExit(folder, held.process, until).then(
          () => {
            isOver = true;
            tell();
          },
          // Nobody watches any more.
          () => {},
        );
        return listen(held, tell);
      };
      try {
        const isLive = () => !isOver;
        yield* watchTerminal({ folder, kind: held.kind, after, isLive, onChange: onNews, signal: until, world });
      } finally {
        watched.abort();
      }
    },
    type: (held, bytes) =>
      withMutex(held, async () => {
        const folder = folderOf(held);
        await requireBegun(held, folder, world);
        await terminalIn(folder, held.kind).type(bytes);
        await writeFile(join(folder, TYPED), '', { mode: 0o600 });
      }),
    resize: (held, size) =>
      withMutex(held, async () => {
        const folder = folderOf(held);
        await requireBegun(held, folder, world);
        await terminalIn(folder, held.kind).resize(size);
        for (const tell of listeners.get(held.attempt) ?? []) tell(size);
      }),
  };
}

async function requireBegun({ process }: HeldTerminal, folder: string, world: World): Promise<void> {
  if (liveness(process) === 'gone') throw new AppError('TERMINAL_ENDED', 'The terminal has ended: its program is gone');
  if (ringRange(folder) !== undefined) return;
  using limit = timeLimit(BEGIN_MS, world);
  const changes = watchChanges(folder, limit.signal);
  try {
    while (ringRange(folder) === undefined) await changes.next();
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    throw new AppError('TERMINAL_ENDED', 'The terminal has not begun');
  } finally {
    changes.close();
  }
}
