import { type App, createApp } from '../app.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { type Home, prepareHome } from '../home.ts';
import { openStore } from '../store/open-store.ts';
import { IN_MEMORY, openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';

type Settings = { home: Home; env: NodeJS.ProcessEnv; world: World };

/** Errors of a database that cannot be opened. */
const UNREADABLE: readonly ErrorCode[] = [
  'DATA_DAMAGED',
  'DATA_NEWER',
  'NO_PERMISSION',
  'DATABASE_UNREACHABLE',
  'DATABASE_REFUSED',
];

/** Reads the store of a data directory in a process that is not its engine; opened when it is first needed. */
export class StoreReader implements AsyncDisposable {
  readonly #settings: Settings;
  readonly #stores: Store[] = [];
  #over = new AbortController();
  #app: Promise<App> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Aborted when it is closed: what is read continuously must be requested again. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  app(): Promise<App> {
    this.#app ??= this.#open();
    return this.#app;
  }

  /** Without a readable database: on an empty one in memory. */
  appDespiteDamage(): Promise<App> {
    return this.app().catch((error: unknown) => {
      if (!(error instanceof AppError) || !UNREADABLE.includes(error.code)) throw error;
      return this.#open(IN_MEMORY);
    });
  }

  /** Closes the store; a later call opens it again. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Safe: a store that could not be opened was reported to the caller who needed it.
    await this.#app?.catch(() => {});
    this.#app = undefined;
    this.#over.abort();
    this.#over = new AbortController();
    for (const store of this.#stores.splice(0)) await store[Symbol.asyncDispose]();
  }

  async #open(file = this.#settings.home.database): Promise<App> {
    const { home, env, world } = this.#settings;
    await prepareHome(home);
    const { store } =
      file === IN_MEMORY
        ? { store: await openSqliteStore({ file, world }) }
        : await openStore({ root: home.root, file, env, world, lead: false });
    this.#stores.push(store);
    return createApp({ home, env, world, store });
  }
}
