import type { Mirror } from './mirror/mirror-config.ts';

/** The empty tree, which git knows without storing it. */
const EMPTY_TREES = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

/** Some git versions read attributes from a bare repository's branch, which could hide changes from a diff. */
export function withoutAttributes(mirror: Mirror): Record<string, string> {
  return { GIT_ATTR_SOURCE: EMPTY_TREES[mirror.objectFormat] };
}
