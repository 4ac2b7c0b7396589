import { AppError, nearest } from '../errors.ts';
import { allowedAt, describeConfig, keysAt } from './describe.ts';

/** The path of a key as typed (`limits.agents`); a key that no setting has is refused with the nearest one. */
export function requireKey(key: string): string[] {
  return requirePath(key.split('.'));
}

/** A path as separate parts; a part may hold dots. */
export function requirePath(path: string[]): string[] {
  if (path.every((part) => part !== '' && part !== '__proto__') && allowedAt(path) !== undefined) return path;
  const key = path.join('.');
  const known = describeConfig().map((setting) => setting.key);
  const suggested = nearest(key, [...known, ...keysAt([])]);
  const suggestion = suggested === undefined ? '' : `; did you mean ${suggested}?`;
  throw new AppError('CONFIG_KEY_UNKNOWN', `There is no setting "${key}"${suggestion}`, { key, known });
}
