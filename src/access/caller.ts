import type {
  OperationInput,
  OperationName,
  OperationOutput,
  StreamInput,
  StreamItem,
  StreamName,
} from '../operations/contracts.ts';

/** How a door asks for operations: a living engine gets every call; otherwise this process reads, or becomes the engine. */
export interface Caller extends AsyncDisposable {
  /** `own`: this process is the engine; `other`: another process is; `none`: nobody is, only reading is possible. */
  engine(): 'own' | 'other' | 'none';
  call<N extends OperationName>(name: N, input: OperationInput<N>, signal?: AbortSignal): Promise<OperationOutput<N>>;
  stream<N extends StreamName>(name: N, input: StreamInput<N>, signal?: AbortSignal): AsyncIterable<StreamItem<N>>;
  /** The same stream; items that are there at once come at once. */
  batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    signal: AbortSignal,
  ): AsyncIterable<readonly StreamItem<N>[]>;
  /** Own engine only: starts nothing new; resolves when what runs has ended. */
  drain(): Promise<void>;
  /** Own engine only: stops the agents, saves their work and leaves runs that can be resumed. */
  stop(): Promise<void>;
  /** Own engine only: leaves the agents running for the next engine to adopt; afterwards nothing of this one acts. */
  leave(): Promise<void>;
  /** Aborted when somebody asked this process's engine to end, which it has then begun to do; `leave` waits for it. */
  readonly ending: AbortSignal;
}
