import { OPERATIONS, type OperationName, STREAMS, type StreamName } from '../../operations/all.ts';
import type { RouteMethod } from '../../operations/operation.ts';

/** An operation or a stream with the method and path by which it is reached. */
export type OperationRoute = { method: RouteMethod; path: string; params: string[]; summary: string } & (
  | { kind: 'operation'; name: OperationName }
  | { kind: 'stream'; name: StreamName }
);

const METHODS: readonly RouteMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Every route, those with more fixed segments first: `/runs/stream` is not a run. */
export function operationRoutes(): OperationRoute[] {
  const routes = [
    ...keysOf(OPERATIONS).map((name) => ({ kind: 'operation' as const, name })),
    ...keysOf(STREAMS).map((name) => ({ kind: 'stream' as const, name })),
  ].flatMap((named): OperationRoute[] => {
    const { http, summary } = named.kind === 'operation' ? OPERATIONS[named.name] : STREAMS[named.name];
    if (typeof http !== 'string') return [];
    const space = http.indexOf(' ');
    const path = http.slice(space + 1);
    const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    return [{ ...named, summary, method: methodOf(http), path, params }];
  });
  return routes.sort(
    (a, b) =>
      orderOf(a.path).localeCompare(orderOf(b.path), 'en') || METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
  );
}

function methodOf(route: string): RouteMethod {
  return METHODS.find((method) => route.startsWith(`${method} `)) ?? 'GET';
}

/** Parameters sort after fixed segments. */
function orderOf(path: string): string {
  return path.replaceAll('{', '\uffff');
}

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table).filter((key): key is keyof T & string => Object.hasOwn(table, key));
}
