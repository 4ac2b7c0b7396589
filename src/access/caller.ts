import { AppError } from '../errors.ts';
import type {
  OperationInput,
  OperationName,
  OperationOutput,
  StreamInput,
  StreamItem,
  StreamName,
} from '../operations/all.ts';
import type { Call } from '../operations/operation.ts';
import type { World } from '../world.ts';

/** Where the engine is. */
export type EngineLocation = 'own' | 'other' | 'server' | 'none';

/** Whether another process is the engine, on this machine or behind a server. */
export function isElsewhere(caller: Pick<Caller, 'engine'>): boolean {
  const engine = caller.engine();
  return engine === 'other' || engine === 'server';
}

/** Refuses what needs the folders of the engine's machine where the engine is behind a server. */
export function requireEngineHere({ server }: Pick<Caller, 'server'>, why: string): void {
  if (server !== undefined) throw new AppError('NOT_ON_SERVER', `${why}: ${server}`, { url: server });
}

/** How an entry point calls operations: through a server that the user logged in to, or a running engine if there is one; otherwise this process reads the store, or becomes the engine. A call without an origin is made by the user of this process. */
export interface Caller extends AsyncDisposable {
  /** `own`: this process is the engine; `other`: another process is; `server`: it is behind a server; `none`: there is none, only reading is possible. */
  engine(): EngineLocation;
  /** The address of the server, if the engine is behind one. */
  readonly server?: string;
  call<N extends OperationName>(name: N, input: OperationInput<N>, call?: Partial<Call>): Promise<OperationOutput<N>>;
  stream<N extends StreamName>(name: N, input: StreamInput<N>, call?: Partial<Call>): AsyncIterable<StreamItem<N>>;
  /** The same stream; items that exist at the same time come as one batch. */
  batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    call?: Partial<Call>,
  ): AsyncIterable<readonly StreamItem<N>[]>;
  /** With a server only: fetches the branch of a run into the clone of a folder. */
  receive?(run: string, dir: string): Promise<{ branch: string; commit: string }>;
  /** Own engine only: starts nothing new; resolves when what runs has ended. */
  drain(): Promise<void>;
  /** Own engine only: stops the agents, saves their work and leaves runs that can be resumed. */
  stop(): Promise<void>;
  /** Own engine only: leaves the agents running for the next engine to adopt; afterwards this one does nothing. */
  leave(): Promise<void>;
  /** Aborted when an operation began to end this process's engine; `leave` waits for its end. */
  readonly ending: AbortSignal;
}

/** How a caller is opened. */
export type CallerOptions = {
  env: NodeJS.ProcessEnv;
  world?: World;
  /** Called when disposal waits for the work of an own engine; what it returns is disposed of afterwards. */
  onClosing?: ((caller: Caller) => AsyncDisposable) | undefined;
  /** Starts an engine in another process; without it, this process becomes the engine where an operation needs one. */
  startEngine?: (() => Promise<void>) | undefined;
  /** Asks the person for the code of a decision that needs one; undefined without a terminal. */
  askCode?: ((message: string) => Promise<string | undefined>) | undefined;
  /** The version of this program, which a server is compared with. */
  version?: string;
  /** Called when the connection to a server is lost and when it is there again. */
  onConnection?: ((text: string) => void) | undefined;
};
