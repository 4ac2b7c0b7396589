import { Engine } from '../engine/engine.ts';
import { readHistory } from '../engine/history.ts';
import { recover } from '../engine/recover.ts';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { prepareHome } from '../home.ts';
import type { Ports } from '../operations/ports.ts';
import { type SocketServer, serveSocket } from '../socket/server.ts';
import { socketPath } from '../socket/socket-path.ts';
import { acquireLock, type Lock } from '../store/lock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
import { viewAgents } from './agents-port.ts';
import { answer } from './answer.ts';
import { benchPort } from './bench-port.ts';
import { examine } from './doctor.ts';
import { enginePort } from './engine-port.ts';
import { forgesPort } from './forges-port.ts';
import { keepPort } from './keep-port.ts';
import { chooseParts } from './parts.ts';
import { projectsPort } from './projects-port.ts';
import { runsPort } from './runs-port.ts';
import { templatesPort } from './templates-port.ts';
import { whereabouts } from './where.ts';
import { workPort } from './work-port.ts';

export type EngineSettings = { home: Home; env: NodeJS.ProcessEnv; world: World; rehearsal: string[] };

/** This process as the one engine of a data directory: it holds the lock, the store and the socket. */
export class OwnEngine implements AsyncDisposable {
  readonly ports: Ports;
  readonly engine: Engine;
  readonly #store: Store;
  readonly #lock: Lock;
  readonly #socket: SocketServer;

  private constructor(parts: { ports: Ports; engine: Engine; store: Store; lock: Lock; socket: SocketServer }) {
    this.ports = parts.ports;
    this.engine = parts.engine;
    this.#store = parts.store;
    this.#lock = parts.lock;
    this.#socket = parts.socket;
  }

  /** Becomes the engine, or tells (undefined) that another process is it. */
  static async open(settings: EngineSettings): Promise<OwnEngine | undefined> {
    const { home, env, world } = settings;
    await prepareHome(home);
    const lock = await acquireLock(home.lock, world);
    if (lock === undefined) return undefined;
    try {
      const store = await openSqliteStore({ file: home.database, world });
      await recover(home);
      const parts = chooseParts(env, settings.rehearsal);
      const engine = new Engine({ home, store, world, env, parts });
      const view: Ports['agents'] = (dir, choices) => viewAgents({ parts, store, world, env }, dir, choices);
      const ports: Ports = {
        runs: runsPort(store, engine),
        projects: projectsPort(store, world),
        templates: templatesPort(env),
        work: workPort(home),
        engine: enginePort(engine),
        agents: view,
        bench: benchPort,
        forges: forgesPort({ home, env, world, parts }),
        history: () => readHistory(store),
        keep: keepPort({ home, store, world }),
        where: (dir) => whereabouts(home, env, dir),
        doctor: (dir, online) => examine({ home, env, dir, world, online, view: (folder) => view(folder, []) }),
      };
      const socket = await serveSocket(
        { path: socketPath(home.root), handle: (request, { signal }) => answer(ports, request, signal) },
        world,
      );
      return new OwnEngine({ ports, engine, store, lock, socket });
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when nothing moves any more; rejects when the engine cannot go on. */
  async idle(): Promise<void> {
    await this.engine.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket[Symbol.asyncDispose]();
    await this.engine.stop();
    await this.#store[Symbol.asyncDispose]();
    await this.#lock[Symbol.asyncDispose]();
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
