import type { OperationInput, OperationName, OperationOutput } from '../../operations/contracts.ts';
import { requestFor } from './address.ts';
import { ApiProblem, Unreachable } from './problem.ts';

/** Asks the server for an operation; a refusal is thrown as the problem that it names. */
export async function call<N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  signal?: AbortSignal,
): Promise<OperationOutput<N>> {
  const { method, url, body } = requestFor(name, input);
  const response = await send(url, {
    method,
    credentials: 'same-origin',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiProblem(response.status, answer);
  return trusted<OperationOutput<N>>(answer);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable();
  }
}

/** The page and the server are of one build: what it answers has the shape that the operation promises. */
function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}
