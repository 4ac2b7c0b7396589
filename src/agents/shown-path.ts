import { isAbsolute, relative, resolve } from 'node:path';

/** A file as people name it: from the workspace where it is inside, else as it was given. */
export function shownPath(workspace: string, path: string): string {
  const inside = relative(workspace, resolve(workspace, path));
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
