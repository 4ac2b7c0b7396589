import type { z } from 'zod';
import type { Ports } from '../app/port-interfaces.ts';
import { AppError } from '../errors.ts';
import { operations, streams } from './all.ts';
import {
  OPERATIONS,
  type OperationChecked,
  type OperationName,
  type OperationOutput,
  STREAMS,
  type StreamChecked,
  type StreamItem,
  type StreamName,
} from './contracts.ts';

/** Carries out an operation that came by name, from whatever door: its input is checked here, once for all. */
export function answer(
  ports: Ports,
  request: { operation: string; input: unknown },
  signal: AbortSignal,
): Promise<unknown> | AsyncIterable<unknown> {
  const { operation, input } = request;
  if (isOperation(operation)) return perform(operation, ports, input, signal);
  if (isStream(operation)) return oneByOne(flow(operation, ports, input, signal));
  throw new AppError('USAGE', `There is no operation ${operation}`, { operation });
}

/** Carries out an operation whose name is known. */
export function perform<N extends OperationName>(
  name: N,
  ports: Ports,
  input: unknown,
  signal: AbortSignal,
): Promise<OperationOutput<N>> {
  return operations[name](ports, checked<OperationChecked<N>>(OPERATIONS[name].input, input, name), signal);
}

/** Carries out a streaming operation whose name is known; items that are there at once come at once. */
export function flow<N extends StreamName>(
  name: N,
  ports: Ports,
  input: unknown,
  signal: AbortSignal,
): AsyncIterable<readonly StreamItem<N>[]> {
  return streams[name](ports, checked<StreamChecked<N>>(STREAMS[name].input, input, name), signal);
}

/** The items of a stream. */
export async function* oneByOne<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

/** What the schema of an operation lets pass is that operation's input. */
function checked<T>(schema: z.ZodType, input: unknown, name: string): T;
function checked(schema: z.ZodType, input: unknown, name: string): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
  throw new AppError('INPUT_INVALID', `${name}: ${issues.join('; ')}`, { issues });
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

function isStream(name: string): name is StreamName {
  return Object.hasOwn(STREAMS, name);
}
