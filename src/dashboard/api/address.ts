import type { OperationName, StreamName } from '../../operations/contracts.ts';
import { ROUTES } from '../../operations/routes.ts';

/** A request as a route makes it of an operation's input: what its path names, what goes into the query or the body. */
export type Request = { method: string; url: string; body: string | undefined };

/** Builds the request of an operation from the same table that the server builds its routes from. */
export function requestFor(name: OperationName | StreamName, input: object): Request {
  const route = ROUTES[name];
  if (typeof route !== 'string') throw new Error(`${name} cannot be asked for over HTTP`);
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
