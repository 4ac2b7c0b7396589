import type { OperationInput, OperationName, OperationOutput, StreamName } from '../../operations/all.ts';
import { ROUTES } from '../../operations/routes.generated.ts';
import { ApiError, ServerUnreachableError } from './api-error.ts';
import { requestCode } from './confirmation.ts';

/** Runs an operation on the server; an error response is thrown as an `ApiError`. */
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
  if (!response.ok) {
    const error = new ApiError(response.status, answer);
    const code = await codeFor(error);
    if (code === undefined) throw error;
    return call(name, { ...input, confirm: code }, signal);
  }
  // Page and server come from one build, so the response has the operation's output type.
  return answer as OperationOutput<N>;
}

/** Asks for the code of a decision that needs one, which the engine shows on its terminal and not here. */
async function codeFor({ code, message, details }: ApiError): Promise<string | undefined> {
  return code === 'CONFIRM_REQUIRED' && details.isShown === true ? requestCode(message) : undefined;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServerUnreachableError();
  }
}

/** The HTTP request of an operation: path parameters are filled in, the rest is in the query or the body. */
type HttpRequest = { method: string; url: string; body: string | undefined };

/** Builds the request of an operation from the routes that the server uses too. */
export function requestFor(name: OperationName | StreamName, input: object): HttpRequest {
  const route = ROUTES[name];
  if (typeof route !== 'string') throw new Error(`${name} has no HTTP route`);
  const [method = 'GET', path = '/'] = route.split(' ');
  const rest = new Map<string, unknown>(Object.entries(input));
  const filled = path.replace(/\{(\w+)\}/g, (_: string, key: string) => {
    const value = rest.get(key);
    rest.delete(key);
    return encodeURIComponent(String(value));
  });
  if (method === 'GET') return { method, url: withQuery(filled, rest), body: undefined };
  return { method, url: filled, body: JSON.stringify(Object.fromEntries(rest)) };
}

function withQuery(path: string, values: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of values) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) query.append(key, String(each));
    }
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
