import { isAbsolute, relative, resolve } from 'node:path';

/** A path for display: relative to the workspace if it is inside, else unchanged. */
export function shownPath(workspace: string, path: string): string {
  const inside = relative(workspace, resolve(workspace, path));
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
