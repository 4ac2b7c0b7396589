import { type App, createApp } from '../app.ts';
import { interruptHere } from '../engine/attempt/interrupt-attempt.ts';
import { endUnknownAgents } from '../engine/attempt/launch-record.ts';
import { RunControl } from '../engine/loop/control-runs.ts';
import { Engine } from '../engine/loop/engine.ts';
import { AutomaticBackup } from '../engine/maintenance/automatic-backup.ts';
import { recoverFromCrash } from '../engine/start/recover-from-crash.ts';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { prepareHome } from '../home.ts';
import { chooseImplementations } from '../implementations.ts';
import { dispatch, isForAgents } from '../operations/dispatch.ts';
import { acquireLock, type Lock } from '../store/lock.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
import { AttemptSockets } from './attempt-tools.ts';
import { originOfPeer } from './caller-origin.ts';
import type { Handle } from './socket/connection.ts';
import { type SocketServer, serveSocket } from './socket/server.ts';
import { socketPath } from './socket/socket-path.ts';

/** `onLeading`: with PostgreSQL, called when this process has become the leader, before it opens its local file. */
export type EngineSettings = { home: Home; env: NodeJS.ProcessEnv; world: World; onLeading?: () => Promise<void> };

/** What the process that is the engine holds, in the order of its creation. */
type EngineResources = {
  app: App;
  engine: Engine;
  store: Store;
  lock: Lock;
  socket: SocketServer;
  backup: AutomaticBackup;
  lost: AbortSignal | undefined;
};

/** This process as the one engine of a data directory: it holds the lock, the store and the socket. */
export class OwnEngine implements AsyncDisposable {
  readonly app: App;
  readonly engine: Engine;
  readonly #store: Store;
  readonly #lock: Lock;
  readonly #socket: SocketServer;
  readonly #backup: AutomaticBackup;
  readonly #lost: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  #ended: Promise<void> | undefined;

  private constructor(resources: EngineResources) {
    this.app = resources.app;
    this.engine = resources.engine;
    this.#store = resources.store;
    this.#lock = resources.lock;
    this.#socket = resources.socket;
    this.#backup = resources.backup;
    this.#lost = resources.lost;
    // The new leader starts the tasks again: the agents here must not continue.
    resources.lost?.addEventListener('abort', () => this.beginToEnd('stop'), { once: true });
  }

  /** Becomes the engine; undefined if another process is the engine. */
  static async open(settings: EngineSettings): Promise<OwnEngine | undefined> {
    const { home, env, world, onLeading } = settings;
    await prepareHome(home);
    const lock = await acquireLock(home.lock, world);
    if (lock === undefined) return undefined;
    try {
      const { store, lost, onDoubt, fleet } = await openStore({
        root: home.root,
        file: home.database,
        env,
        world,
        lead: true,
        onLeading,
      }).catch(async (error: unknown) => {
        // The leader starts the tasks of this server's agents again: those that a killed engine left here must end.
        if (error instanceof AppError && error.code === 'NOT_LEADER') await endUnknownAgents(home, { read: () => [] });
        throw error;
      });
      await recoverFromCrash(home, store);
      let own: OwnEngine | undefined;
      const end = (agents: 'leave' | 'stop') => void setImmediate(() => own?.beginToEnd(agents));
      const tools = new AttemptSockets({ home, world, app: () => app });
      const implementations = chooseImplementations(env);
      const engine = new Engine({ home, env, world, store, tools, implementations, fleet });
      const app: App = createApp({ home, env, world, store }, { engine, control: new RunControl(engine, end) });
      const path = socketPath(home.root);
      const socket = await serveSocket({ path, handle: (request, call) => serveRequest(app, request, call) }, world);
      const backup = new AutomaticBackup({ home, env, world, store });
      // Another server is going to start their tasks again: the agents here must have ended by then.
      onDoubt?.(() => interruptHere(engine.runs.values(), 'This server could not renew its lease in time'));
      own = new OwnEngine({ app, engine, store, lock, socket, backup, lost });
      return own;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when nothing is in flight any more; rejects when the engine cannot continue. */
  async idle(): Promise<void> {
    await this.engine.idle();
  }

  /** Aborted when an operation begins to stop it. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Aborted when it has ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Stops because of an operation; `ending` notifies the program that runs this process. */
  beginToEnd(agents: 'leave' | 'stop'): void {
    // A failure is reported to the caller that waits for the end or disposes of this engine.
    this.end(agents).catch(() => {});
    this.#ending.abort();
  }

  /** Stops once; later calls wait for the same result. Rejects if it stopped because another server leads. */
  end(agents: 'leave' | 'stop'): Promise<void> {
    this.#ended ??= (agents === 'leave' ? this.engine.leave() : this.engine.stop())
      .then(() => this.#lost?.throwIfAborted())
      .finally(() => this.#over.abort());
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

/** Runs the operation that another process requested; what agents may not do needs proof of who requests it. */
async function serveRequest(
  app: App,
  request: Parameters<Handle>[0],
  { peer, ...call }: Parameters<Handle>[1],
): Promise<unknown> {
  if (await isForAgents(request)) return dispatch(app, request, call);
  return dispatch(app, request, { ...call, origin: originOfPeer(app.home, call.origin, await peer()) });
}
