import { AppError } from '../../errors.ts';
import type { Route } from '../../operations/operation.ts';
import type { ServerRequest } from './server-connection.ts';

/** The fields in the path of a route. */
export function pathFields(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/** The route of an operation on a server; what only works on the server's machine is refused with the reason. */
export function requireRoute(name: string, route: Route, url: string): string {
  if (typeof route === 'string') return route;
  throw new AppError(
    'NOT_ON_SERVER',
    `${name} does not work through ${url}, only on the machine of the engine: ${route.unreachable}`,
    { url },
  );
}

/** An operation's input as a request: fields of the path, then the query of a reading or the body of a changing one. */
export function requestOf(route: string, input: Readonly<Record<string, unknown>>): ServerRequest {
  const [method = 'GET', pattern = ''] = route.split(' ', 2);
  const named = new Set(pathFields(pattern));
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, field: string) => segmentOf(field, input[field]));
  const others = Object.entries(input).filter(([key, value]) => !named.has(key) && value !== undefined);
  if (method !== 'GET') return { method, path, body: Object.fromEntries(others) };
  const query = new URLSearchParams();
  for (const [key, value] of others)
    for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one));
  return { method, path: query.size === 0 ? path : `${path}?${query}` };
}

function segmentOf(field: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // URLs resolve these two themselves, encoded or not, to another path.
  if (text === '' || text === '.' || text === '..')
    throw new AppError('INPUT_INVALID', `${field} must be named, not ${JSON.stringify(text)}`, { field });
  return encodeURIComponent(text);
}
