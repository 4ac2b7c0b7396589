import { existsSync } from 'node:fs';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { type Home, resolveHome, serverLoginFile } from '../home.ts';
import type {
  OperationInput,
  OperationName,
  OperationOutput,
  StreamInput,
  StreamItem,
  StreamName,
} from '../operations/all.ts';
import { identityOf, mayCall } from '../operations/authorize.ts';
import { itemsOf, runOperation, runStream } from '../operations/dispatch.ts';
import { LOAD_OPERATION, LOAD_STREAM } from '../operations/load.ts';
import type { Call, Where } from '../operations/operation.ts';
import type { Origin } from '../schema/actor.ts';
import { realWorld, type World } from '../world.ts';
import type { Caller, CallerOptions, EngineLocation } from './caller.ts';
import { originOfProcess } from './caller-origin.ts';
import type { OwnEngine } from './own-engine.ts';
import { connectSocket, type SocketClient } from './socket/client.ts';
import { socketPath } from './socket/socket-path.ts';
import { StoreReader } from './store-reader.ts';

type Reached =
  | { kind: 'own'; engine: OwnEngine }
  | { kind: 'other'; client: SocketClient }
  | { kind: 'none'; app: App };

/** Where an operation runs, and whether it needs the database. */
type Reachable = { where: Where; toleratesDamage?: boolean };

/** Number and interval of connection attempts to a process that is becoming the engine. */
const TRIES = 100;
const PAUSE_MS = 50;

/** Opens a caller for all operations: of the server that the user logged in to, otherwise of the data directory. */
export async function openCaller(options: CallerOptions): Promise<Caller> {
  if (!usesServer(options.env)) return new EngineCaller(options);
  const { openServerCaller } = await import('./client/server-caller.ts');
  return openServerCaller(options);
}

/** An empty MANYHANDS_SERVER selects this machine despite a login; an agent is answered by the engine that started it. */
function usesServer(env: NodeJS.ProcessEnv): boolean {
  const { MANYHANDS_SERVER: server } = env;
  if (server === '' || (server === undefined && !existsSync(serverLoginFile(env)))) return false;
  return originOfProcess(env, resolveHome(env)).actor.kind !== 'agent';
}

class EngineCaller implements Caller {
  readonly #home: Home;
  readonly #env: NodeJS.ProcessEnv;
  readonly #world: World;
  readonly #origin: Origin;
  readonly #onClosing: CallerOptions['onClosing'];
  readonly #askCode: CallerOptions['askCode'];
  readonly #startEngine: CallerOptions['startEngine'];
  readonly #opened: AsyncDisposable[] = [];
  #own: OwnEngine | undefined;
  readonly #ending = new AbortController();
  #reported: unknown;
  #other: SocketClient | undefined;
  readonly #reader: StoreReader;
  #opening: Promise<OwnEngine | undefined> | undefined;

  constructor({ env, world = realWorld, onClosing, askCode, startEngine }: CallerOptions) {
    this.#home = resolveHome(env);
    this.#env = env;
    this.#world = world;
    this.#origin = originOfProcess(env, this.#home);
    this.#reader = new StoreReader({ home: this.#home, env, world });
    this.#opened.push(this.#reader);
    this.#onClosing = onClosing;
    this.#askCode = askCode;
    this.#startEngine = startEngine;
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  engine(): EngineLocation {
    if (this.#own !== undefined) return 'own';
    return this.#other === undefined ? 'none' : 'other';
  }

  async call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    options: Partial<Call> = {},
  ): Promise<OperationOutput<N>> {
    const call = this.#callOf(options);
    const operation = await LOAD_OPERATION[name]();
    await this.#requireAllowed(operation, input, call);
    const perform = async (given: OperationInput<N>) => {
      const reached = await this.#reach(operation);
      if (reached.kind === 'other') return this.#callOther(reached.client, name, { input: given, call });
      return runOperation(name, reached.kind === 'own' ? reached.engine.app : reached.app, { input: given, call });
    };
    // Who decides through another entry point enters the code there.
    if (operation.decides !== true || call.origin.via !== 'cli') return perform(input);
    return perform(input).catch(async (error: unknown) => {
      const code = await this.#codeFor(error);
      if (code === undefined) throw error;
      return perform({ ...input, confirm: code });
    });
  }

  /** The code that the person enters where a decision needs one and it is shown to them. */
  async #codeFor(error: unknown): Promise<string | undefined> {
    if (!(error instanceof AppError) || error.code !== 'CONFIRM_REQUIRED' || error.details.isShown !== true)
      return undefined;
    return this.#askCode?.(error.message);
  }

  /** If the engine ends during a call, a reading operation is answered by this process instead. */
  async #callOther<N extends OperationName>(
    client: SocketClient,
    name: N,
    { input, call }: { input: OperationInput<N>; call: Call },
  ): Promise<OperationOutput<N>> {
    try {
      // The engine runs the same version, so its response has the type of this operation's output.
      return (await client.call(name, input, call)) as OperationOutput<N>;
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
      if (!isGone || (await LOAD_OPERATION[name]()).where !== 'anywhere') throw error;
      return runOperation(name, await this.#reader.app(), { input, call });
    }
  }

  stream<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    options: Partial<Call> = {},
  ): AsyncGenerator<StreamItem<N>> {
    return itemsOf(this.batches(name, input, options));
  }

  async *batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    options: Partial<Call> = {},
  ): AsyncGenerator<readonly StreamItem<N>[]> {
    const call = this.#callOf(options);
    const stream = await LOAD_STREAM[name]();
    await this.#requireAllowed(stream, input, call);
    const reached = await this.#reach(stream);
    if (reached.kind === 'other') {
      // As for a call: the items have the type of this stream's items.
      for await (const item of reached.client.stream(name, input, call)) yield [item as StreamItem<N>];
      return;
    }
    const isOwn = reached.kind === 'own';
    const signal = AbortSignal.any([call.signal, isOwn ? reached.engine.over : this.#reader.over]);
    try {
      yield* runStream(name, isOwn ? reached.engine.app : reached.app, { input, call: { ...call, signal } });
    } catch (error) {
      this.#reported = error;
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

  /** An own engine first finishes the work of other terminals, unless it was drained or stopped; a failure is reported once. */
  async [Symbol.asyncDispose](): Promise<void> {
    const waits = this.#own !== undefined && !this.#own.engine.draining.aborted;
    await using _closing = waits ? this.#onClosing?.(this) : undefined;
    try {
      await this.#own?.idle();
    } catch (error) {
      if (error !== this.#reported) throw error;
    } finally {
      for (let last = this.#opened.pop(); last !== undefined; last = this.#opened.pop())
        await last[Symbol.asyncDispose]();
    }
  }

  /** A process that an agent started calls as this agent, whatever it claims. */
  #callOf({ signal = new AbortController().signal, origin = this.#origin }: Partial<Call>): Call {
    return { signal, origin: this.#origin.actor.kind === 'agent' ? this.#origin : origin };
  }

  /** Agents may read but not control runs: otherwise an agent could approve its own work. A running engine refuses too, and records it. */
  async #requireAllowed(
    operation: Parameters<typeof mayCall>[1] & { name: string },
    input: unknown,
    call: Call,
  ): Promise<void> {
    if (mayCall(identityOf(call.origin), operation, input)) return;
    const client = await this.#connect();
    await client?.call(operation.name, input, call);
    throw new AppError(
      'CALLED_BY_AGENT',
      'This command was called from inside an attempt, and agents must not control runs',
    );
  }

  async #reach({ where, toleratesDamage = false }: Reachable): Promise<Reached> {
    if (this.#own !== undefined) return { kind: 'own', engine: this.#own };
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const client = await this.#connect();
      if (client !== undefined) return { kind: 'other', client };
      if (this.#opening !== undefined) await this.#opening.catch(() => {});
      if (this.#own !== undefined) return { kind: 'own', engine: this.#own };
      if (where === 'anywhere') {
        return { kind: 'none', app: await (toleratesDamage ? this.#reader.appDespiteDamage() : this.#reader.app()) };
      }
      if (where === 'living-engine') throw engineAbsent(this.#home);
      if (this.#startEngine !== undefined) {
        await this.#startEngine();
        continue;
      }
      this.#opening = this.#becomeEngine().finally(() => {
        this.#opening = undefined;
      });
      const own = await this.#opening;
      if (own !== undefined) return { kind: 'own', engine: own };
      await this.#world.sleep(PAUSE_MS);
    }
    throw engineBusy(this.#home);
  }

  async #becomeEngine(): Promise<OwnEngine | undefined> {
    const { OwnEngine } = await import('./own-engine.ts');
    // Streams that read the local file are requested again, and then answered by the engine.
    const onLeading = () => this.#reader[Symbol.asyncDispose]();
    const own = await OwnEngine.open({ home: this.#home, env: this.#env, world: this.#world, onLeading });
    if (own === undefined) return undefined;
    this.#own = own;
    this.#opened.push(own);
    own.ending.addEventListener('abort', () => this.#ending.abort(), { once: true });
    return own;
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
}

/** The error for a data directory that is locked by a process which does not answer. */
function engineBusy(home: Home): AppError {
  return new AppError(
    'ENGINE_BUSY',
    `The data directory ${home.root} is locked by another process that does not answer`,
    { home: home.root },
  );
}

/** The error for a data directory without an engine. */
function engineAbsent(home: Home): AppError {
  return new AppError('ENGINE_NONE', `No engine is running for the data directory ${home.root}`, { home: home.root });
}
