import type { Ports } from '../app/port-interfaces.ts';
import type {
  OperationChecked,
  OperationName,
  OperationOutput,
  StreamChecked,
  StreamItem,
  StreamName,
} from './contracts.ts';

/** Carries out one operation; its schemas stand in schema/operation.ts. */
export type Operation<N extends OperationName> = (
  ports: Ports,
  input: OperationChecked<N>,
  signal: AbortSignal,
) => Promise<OperationOutput<N>>;

/** Carries out one operation that answers with items as they happen; those that are there at once come at once. */
export type StreamOperation<N extends StreamName> = (
  ports: Ports,
  input: StreamChecked<N>,
  signal: AbortSignal,
) => AsyncIterable<readonly StreamItem<N>[]>;
