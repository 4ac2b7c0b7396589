import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import {
  OPERATIONS,
  type OperationName,
  type OperationOutput,
  STREAMS,
  type StreamItem,
  type StreamName,
} from './all.ts';
import { identityOf, mayCall } from './authorize.ts';
import type { Call } from './operation.ts';

/** Runs the operation that another process named: returns its output, or the items of its stream. */
export function dispatch(
  app: App,
  request: { operation: string; input: unknown },
  call: Call,
): Promise<unknown> | AsyncIterable<unknown> {
  const { operation, input } = request;
  const known = isOperation(operation) ? OPERATIONS[operation] : isStream(operation) ? STREAMS[operation] : undefined;
  if (known !== undefined && !mayCall(identityOf(call.origin), known, input))
    throw new AppError('CALLED_BY_AGENT', `An agent called ${operation}, and agents must not control runs`);
  if (isOperation(operation)) return runOperation(operation, app, { input, call });
  if (isStream(operation)) return itemsOf(runStream(operation, app, { input, call }));
  throw new AppError('USAGE', `There is no operation ${operation}`, { operation });
}

/** Runs an operation by its name; input that does not match its schema is INPUT_INVALID. */
export async function runOperation<N extends OperationName>(
  name: N,
  app: App,
  { input, call }: { input: unknown; call: Call },
): Promise<OperationOutput<N>> {
  // The operation of a name has the output of that name, which the type of the table cannot express generically.
  return (await OPERATIONS[name].run(app, input, call)) as OperationOutput<N>;
}

/** Runs a stream by its name; items that exist at the same time are returned as one batch. */
export function runStream<N extends StreamName>(
  name: N,
  app: App,
  { input, call }: { input: unknown; call: Call },
): AsyncIterable<readonly StreamItem<N>[]> {
  // As above: the stream of a name has the items of that name.
  return STREAMS[name].run(app, input, call) as AsyncIterable<readonly StreamItem<N>[]>;
}

/** The items of a stream one by one. */
export async function* itemsOf<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

function isStream(name: string): name is StreamName {
  return Object.hasOwn(STREAMS, name);
}
