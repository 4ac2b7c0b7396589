import picomatch from 'picomatch';

/**
 * Whether a path matches one of these: the exact path, everything below a folder, or what a glob matches. `loose`
 * also sees through letter case and invisible characters, so that what is forbidden stays so on any file system.
 */
export function globMatcher(globs: readonly string[], how: 'exact' | 'loose'): (path: string) => boolean {
  const plain = how === 'loose' ? (path: string) => plainPath(path).toLowerCase() : (path: string) => path;
  const rules = globs.map((glob) => {
    const name = plain(glob.replace(/^(\.\/)+/, '').replace(/(?<=.)\/+$/, ''));
    // A glob does not match every name that a file can have, such as one with a line break.
    const start = name === '**' ? '' : name === '/**' ? '/' : `${name}/`;
    return { name, start, pattern: picomatch.makeRe(name, { dot: true }) };
  });
  return (path) => {
    const normalized = plain(path);
    return rules.some(
      ({ name, start, pattern }) => normalized === name || normalized.startsWith(start) || pattern.test(normalized),
    );
  };
}

/** A path as the most forgiving file systems see it: composed, without the characters that HFS+ ignores or Windows strips. */
export function plainPath(path: string): string {
  return path
    .normalize('NFC')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .split('/')
    .map((part) => part.replace(/[. ]+$/, '') || part)
    .join('/');
}
