import { OPERATIONS } from '../operations/all.ts';
import type { AccessRole } from '../operations/authorize.ts';
import { operationRoutes } from './api/operation-routes.ts';

type ActingRoute = { method: string; pattern: RegExp; allow: readonly AccessRole[] };

/** Everybody who is logged in may log out. */
const LOGOUT: ActingRoute = { method: 'POST', pattern: /^\/logout$/, allow: ['viewer', 'operator'] };

/** Nothing acts on a path that does not exist, and only an operator is told so. */
const UNKNOWN: readonly AccessRole[] = ['operator'];

let routes: ActingRoute[] | undefined;

/** The roles that may send an acting request to this path, before anything of the request is read. */
export function rolesFor(method: string, path: string): readonly AccessRole[] {
  routes ??= [LOGOUT, ...operationRoutes().flatMap(actingRoute)];
  const found = routes.find((route) => route.method === method && route.pattern.test(path));
  return found?.allow ?? UNKNOWN;
}

function actingRoute(route: ReturnType<typeof operationRoutes>[number]): ActingRoute[] {
  if (route.kind !== 'operation' || route.method === 'GET') return [];
  const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return [{ method: route.method, pattern, allow: OPERATIONS[route.name].allow }];
}
