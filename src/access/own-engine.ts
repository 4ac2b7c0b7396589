import { chooseImplementations } from '../app/implementations.ts';
import type { Ports } from '../app/port-interfaces.ts';
import { portsFor } from '../app/ports.ts';
import { enginePort } from '../engine/loop/control-runs.ts';
import { Engine } from '../engine/loop/engine.ts';
import { AutomaticBackup } from '../engine/maintenance/automatic-backup.ts';
import { sweepDeadEngine } from '../engine/maintenance/sweep-dead-engine.ts';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { prepareHome } from '../home.ts';
import { answer } from '../operations/dispatch.ts';
import { acquireLock, type Lock } from '../store/lock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
import { type SocketServer, serveSocket } from './socket/server.ts';
import { socketPath } from './socket/socket-path.ts';

export type EngineSettings = { home: Home; env: NodeJS.ProcessEnv; world: World; rehearsal: string[] };

type Held = {
  ports: Ports;
  engine: Engine;
  store: Store;
  lock: Lock;
  socket: SocketServer;
  backup: AutomaticBackup;
};

/** This process as the one engine of a data directory: it holds the lock, the store and the socket. */
export class OwnEngine implements AsyncDisposable {
  readonly ports: Ports;
  readonly engine: Engine;
  readonly #store: Store;
  readonly #lock: Lock;
  readonly #socket: SocketServer;
  readonly #backup: AutomaticBackup;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  #ended: Promise<void> | undefined;

  private constructor(parts: Held) {
    this.ports = parts.ports;
    this.engine = parts.engine;
    this.#store = parts.store;
    this.#lock = parts.lock;
    this.#socket = parts.socket;
    this.#backup = parts.backup;
  }

  /** Becomes the engine, or tells (undefined) that another process is it. */
  static async open(settings: EngineSettings): Promise<OwnEngine | undefined> {
    const { home, env, world } = settings;
    await prepareHome(home);
    const lock = await acquireLock(home.lock, world);
    if (lock === undefined) return undefined;
    try {
      const store = await openSqliteStore({ file: home.database, world });
      await sweepDeadEngine(home);
      const parts = chooseImplementations(env, settings.rehearsal);
      let own: OwnEngine | undefined;
      const engine = new Engine({ home, store, world, env, implementations: parts });
      const port = enginePort(engine, (agents) => void setImmediate(() => own?.askToEnd(agents)));
      const ports = portsFor({ home, env, world, store, parts, own: { engine, port } });
      const socket = await serveSocket(
        { path: socketPath(home.root), handle: (request, { signal }) => answer(ports, request, signal) },
        world,
      );
      const backup = new AutomaticBackup({ home, env, world, store });
      own = new OwnEngine({ ports, engine, store, lock, socket, backup });
      return own;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when nothing moves any more; rejects when the engine cannot go on. */
  async idle(): Promise<void> {
    await this.engine.idle();
  }

  /** Aborted when somebody asked it to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Aborted when it has ended: nothing more comes of it. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Ends because an operation asked for it: whoever runs this process is told by `ending`. */
  askToEnd(agents: 'leave' | 'stop'): void {
    // Who waits for the end, or disposes of this, is told of its failure.
    this.end(agents).catch(() => {});
    this.#ending.abort();
  }

  /** Ends once; whoever asks later waits for the same end. */
  end(agents: 'leave' | 'stop'): Promise<void> {
    this.#ended ??= (agents === 'leave' ? this.engine.leave() : this.engine.stop()).finally(() => this.#over.abort());
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket[Symbol.asyncDispose]();
    await this.engine.stop();
    await this.#store[Symbol.asyncDispose]();
    await this.#lock[Symbol.asyncDispose]();
    await this.#backup[Symbol.asyncDispose]();
  }
}

/** The word for a data directory that is held by a process which does not answer. */
export function engineBusy(home: Home): AppError {
  return new AppError(
    'ENGINE_BUSY',
    `The data directory ${home.root} is held by another process that does not answer`,
    { home: home.root },
  );
}

/** The word for a data directory that nobody works on. */
export function engineAbsent(home: Home): AppError {
  return new AppError('ENGINE_NONE', `No engine is running for the data directory ${home.root}`, { home: home.root });
}
