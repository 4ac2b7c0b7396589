import type {
  OperationInput,
  OperationName,
  OperationOutput,
  StreamInput,
  StreamItem,
  StreamName,
} from '../operations/all.ts';
import type { Call } from '../operations/operation.ts';

/** How an entry point calls operations: through a running engine if there is one; otherwise this process reads the store, or becomes the engine. A call without an origin is made by the user of this process. */
export interface Caller extends AsyncDisposable {
  /** `own`: this process is the engine; `other`: another process is; `none`: there is none, only reading is possible. */
  engine(): 'own' | 'other' | 'none';
  call<N extends OperationName>(name: N, input: OperationInput<N>, call?: Partial<Call>): Promise<OperationOutput<N>>;
  stream<N extends StreamName>(name: N, input: StreamInput<N>, call?: Partial<Call>): AsyncIterable<StreamItem<N>>;
  /** The same stream; items that exist at the same time come as one batch. */
  batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    call?: Partial<Call>,
  ): AsyncIterable<readonly StreamItem<N>[]>;
  /** Own engine only: starts nothing new; resolves when what runs has ended. */
  drain(): Promise<void>;
  /** Own engine only: stops the agents, saves their work and leaves runs that can be resumed. */
  stop(): Promise<void>;
  /** Own engine only: leaves the agents running for the next engine to adopt; afterwards this one does nothing. */
  leave(): Promise<void>;
  /** Aborted when an operation began to end this process's engine; `leave` waits for its end. */
  readonly ending: AbortSignal;
}
