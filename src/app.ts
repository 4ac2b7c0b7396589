import { fileURLToPath } from 'node:url';
import type { Caller } from './access/caller.ts';
import { engineAbsent, engineBusy, OwnEngine } from './access/own-engine.ts';
import { connectSocket, type SocketClient } from './access/socket/client.ts';
import { socketPath } from './access/socket/socket-path.ts';
import { chooseImplementations } from './app/implementations.ts';
import type { Ports } from './app/port-interfaces.ts';
import { portsFor } from './app/ports.ts';
import { AppError } from './errors.ts';
import { type Home, prepareHome, resolveHome } from './home.ts';
import type { Where } from './operations/contract.ts';
import {
  OPERATIONS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  STREAMS,
  type StreamInput,
  type StreamItem,
  type StreamName,
} from './operations/contracts.ts';
import { flow, oneByOne, perform } from './operations/dispatch.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import { realWorld, type World } from './world.ts';

export type AppOptions = { env: NodeJS.ProcessEnv; cwd: string; world?: World };

type Reached =
  | { kind: 'own'; engine: OwnEngine }
  | { kind: 'other'; client: SocketClient }
  | { kind: 'none'; ports: Ports };

/** How often, and how long apart, a process that is just becoming the engine is asked again. */
const TRIES = 100;
const PAUSE_MS = 50;

/** The door to all operations: a living engine gets every call; else this process reads, or becomes the engine. */
export async function createCaller(options: AppOptions): Promise<Caller> {
  return new AppCaller(options);
}

class AppCaller implements Caller {
  readonly #home: Home;
  readonly #env: NodeJS.ProcessEnv;
  readonly #world: World;
  readonly #opened: AsyncDisposable[] = [];
  #own: OwnEngine | undefined;
  readonly #ending = new AbortController();
  #told: unknown;
  #other: SocketClient | undefined;
  #reader: Promise<Ports> | undefined;

  constructor({ env, world = realWorld }: AppOptions) {
    this.#home = resolveHome(env);
    this.#env = env;
    this.#world = world;
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  engine(): 'own' | 'other' | 'none' {
    if (this.#own !== undefined) return 'own';
    return this.#other === undefined ? 'none' : 'other';
  }

  async call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<OperationOutput<N>> {
    if (OPERATIONS[name].where !== 'anywhere') refuseAgents(this.#env);
    const reached = await this.#reach(OPERATIONS[name].where);
    if (reached.kind === 'other') return this.#callOther(reached.client, name, input, signal);
    return perform(name, reached.kind === 'own' ? reached.engine.ports : reached.ports, input, signal);
  }

  /** An engine that ends while it is asked has told nothing: what only reads is then read here. */
  async #callOther<N extends OperationName>(
    client: SocketClient,
    name: N,
    input: OperationInput<N>,
    signal: AbortSignal,
  ): Promise<OperationOutput<N>> {
    try {
      return trusted<OperationOutput<N>>(await client.call(name, input, signal));
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
      if (!isGone || OPERATIONS[name].where !== 'anywhere') throw error;
      return perform(name, await this.#read(), input, signal);
    }
  }

  stream<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<StreamItem<N>> {
    return oneByOne(this.batches(name, input, signal));
  }

  async *batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamItem<N>[]> {
    const reached = await this.#reach(STREAMS[name].where);
    if (reached.kind === 'other') {
      for await (const item of reached.client.stream(name, input, signal)) yield [trusted<StreamItem<N>>(item)];
      return;
    }
    const isOwn = reached.kind === 'own';
    const until = isOwn ? AbortSignal.any([signal, reached.engine.over]) : signal;
    try {
      yield* flow(name, isOwn ? reached.engine.ports : reached.ports, input, until);
    } catch (error) {
      this.#told = error;
      throw error;
    }
  }

  async drain(): Promise<void> {
    await this.#own?.engine.drain();
  }

  async stop(): Promise<void> {
    await this.#own?.end('stop');
  }

  async leave(): Promise<void> {
    await this.#own?.end('leave');
  }

  /** An engine of our own first carries on what other terminals gave it, unless it was drained or stopped; a failure that was told is not told twice. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#own?.idle();
    } catch (error) {
      if (error !== this.#told) throw error;
    } finally {
      for (let last = this.#opened.pop(); last !== undefined; last = this.#opened.pop())
        await last[Symbol.asyncDispose]();
    }
  }

  async #reach(where: Where): Promise<Reached> {
    if (this.#own !== undefined) return { kind: 'own', engine: this.#own };
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const client = await this.#connect();
      if (client !== undefined) return { kind: 'other', client };
      if (where === 'anywhere') return { kind: 'none', ports: await this.#read() };
      if (where === 'living-engine') throw engineAbsent(this.#home);
      const own = await OwnEngine.open({
        home: this.#home,
        env: this.#env,
        world: this.#world,
        rehearsal: rehearsalProgram(),
      });
      if (own !== undefined) {
        this.#own = own;
        this.#opened.push(own);
        own.ending.addEventListener('abort', () => this.#ending.abort(), { once: true });
        return { kind: 'own', engine: own };
      }
      await this.#world.sleep(PAUSE_MS);
    }
    throw engineBusy(this.#home);
  }

  async #connect(): Promise<SocketClient | undefined> {
    if (this.#other !== undefined) return this.#other;
    const client = await connectSocket(socketPath(this.#home.root));
    if (client === undefined) return undefined;
    this.#other = client;
    this.#opened.push(client);
    void client.closed.then(() => {
      this.#other = undefined;
    });
    return client;
  }

  #read(): Promise<Ports> {
    this.#reader ??= this.#openReader();
    return this.#reader;
  }

  async #openReader(): Promise<Ports> {
    const home = this.#home;
    const env = this.#env;
    const world = this.#world;
    await prepareHome(home);
    const store = await openSqliteStore({ file: home.database, world });
    this.#opened.push(store);
    const parts = chooseImplementations(env, rehearsalProgram());
    return portsFor({ home, env, world, store, parts, own: undefined });
  }
}

/** An agent could approve its own work: who carries an attempt's token may look, and not steer. */
function refuseAgents(env: NodeJS.ProcessEnv): void {
  if (env.MANYHANDS_TOKEN === undefined) return;
  throw new AppError('CALLED_BY_AGENT', 'This command was called from inside an attempt, and agents do not steer runs');
}

/** What the engine of the same version answers has the shape that its operation promises. */
function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}

/** The program of the rehearsal agents, beside the built one. */
function rehearsalProgram(): string[] {
  const beside = fileURLToPath(new URL('./rehearsal.js', import.meta.url));
  if (beside === '') throw new AppError('INTERNAL', 'The rehearsal program is missing');
  return [process.execPath, beside];
}
