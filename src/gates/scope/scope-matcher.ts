import picomatch from 'picomatch';
import { plainPath } from '../../guards/guard-globs.ts';

/** Which paths may be touched. */
type Scope = { allow: readonly string[]; deny: readonly string[]; also: readonly string[] };

/** The reason for a path that no allowed glob matches. */
export const OUTSIDE = 'is outside of what is allowed';

/** Why a path may not be touched, if it may not: what is denied stays so in whatever spelling. */
export function scopeMatcher({ allow, deny, also }: Scope): (path: string) => string | undefined {
  const isAllowed = globMatcher([...allow, ...also], 'exact');
  const isDenied = globMatcher(deny, 'loose');
  return (path) => {
    if (isDenied(path)) return 'is denied';
    return allow.length === 0 || isAllowed(path) ? undefined : OUTSIDE;
  };
}

/**
 * Whether a path matches one of these: the exact path, everything below a folder, or what a glob matches. `loose`
 * also sees through letter case and invisible characters, so that what is forbidden stays so on any file system.
 */
export function globMatcher(globs: readonly string[], how: 'exact' | 'loose'): (path: string) => boolean {
  const plain = how === 'loose' ? (path: string) => plainPath(path).toLowerCase() : (path: string) => path;
  const rules = globs.map((glob) => {
    const name = plain(glob.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
    return { name, pattern: picomatch.makeRe(name, { dot: true }) };
  });
  return (path) => {
    const normalized = plain(path);
    return rules.some(
      ({ name, pattern }) => normalized === name || normalized.startsWith(`${name}/`) || pattern.test(normalized),
    );
  };
}
