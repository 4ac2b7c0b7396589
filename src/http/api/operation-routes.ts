import { OPERATIONS, type OperationName, STREAMS, type StreamName } from '../../operations/contracts.ts';
import { ROUTES, type RouteMethod } from '../../operations/routes.ts';

/** An operation or a stream with the place where it is reached. */
export type OperationRoute = { method: RouteMethod; path: string; params: string[]; summary: string } & (
  | { kind: 'operation'; name: OperationName }
  | { kind: 'stream'; name: StreamName }
);

/** Every route of the registry, those with more fixed words first: `/runs/stream` is no run. */
export function operationRoutes(): OperationRoute[] {
  const routes = [
    ...keysOf(OPERATIONS).map((name) => ({ kind: 'operation' as const, name, summary: OPERATIONS[name].summary })),
    ...keysOf(STREAMS).map((name) => ({ kind: 'stream' as const, name, summary: STREAMS[name].summary })),
  ].flatMap((named): OperationRoute[] => {
    const route = ROUTES[named.name];
    if (typeof route !== 'string') return [];
    const space = route.indexOf(' ');
    const path = route.slice(space + 1);
    const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    return [{ ...named, method: methodOf(route), path, params }];
  });
  return routes.sort((a, b) => orderOf(a.path).localeCompare(orderOf(b.path), 'en'));
}

function methodOf(route: string): RouteMethod {
  const [word] = route.split(' ');
  return word === 'POST' || word === 'PUT' || word === 'DELETE' ? word : 'GET';
}

/** Braces sort behind letters. */
function orderOf(path: string): string {
  return path.replaceAll('{', '\uffff');
}

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table).filter((key): key is keyof T & string => Object.hasOwn(table, key));
}
