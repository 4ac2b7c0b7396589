import { z } from 'zod';

const LOCKFILES = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'deno.lock'],
  ...['cargo.lock', 'go.sum', 'gemfile.lock', 'gems.locked', 'poetry.lock', 'uv.lock', 'pdm.lock', 'pipfile.lock'],
  ...['composer.lock', 'mix.lock', 'pubspec.lock', 'packages.lock.json', 'gradle.lockfile', 'flake.lock'],
]);
const SOURCE =
  /\b(?:resolved|tarball|source|resolution|remote|repo|directory)\b["':={ ]{0,8}(?:(?:tarball|type|registry|git|url|path|directory|editable)\b["':= ]{1,8})?([a-z+]+:[^\s"',}]+|\.{0,2}\/[^\s"',}]*)/gi;
const NpmLock = z.object({ packages: z.record(z.string(), z.object({ link: z.boolean().optional() })) });

/** Whether a file pins dependencies; those are free to change but part of the set-up's hash. */
export function isLockfile(path: string): boolean {
  return LOCKFILES.has((path.split('/').at(-1) ?? '').toLowerCase());
}

/** Why a changed lockfile needs a person, or nothing: it takes a package from a new origin that the settings do not allow. */
export function lockfileReason(
  base: string | undefined,
  candidate: string | undefined,
  registries: readonly string[],
): string | undefined {
  if (candidate === undefined) return undefined;
  const [before, after] = [plainText(base ?? ''), plainText(candidate)];
  if (after.includes('\\') && !before.includes('\\'))
    return 'spells something with escapes, which could hide an address';
  const known = new Set([...sources(before), ...registries.map((registry) => registry.toLowerCase())]);
  const foreign = sources(after).find((source) => !known.has(source));
  if (foreign !== undefined) return `takes a package from ${foreign}, where none came from before`;
  const linked = newlyLinked(before, after);
  return linked === undefined ? undefined : `replaces ${linked} by a folder of the repository`;
}

/** The text without spellings that mean the same: escapes of JSON, and white space. */
function plainText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Not JSON, as most lockfiles are not.
    return text.replace(/\s+/g, ' ');
  }
}

function sources(text: string): string[] {
  return [...text.matchAll(SOURCE)].map((match) => {
    const address = match[1] ?? '';
    return /^([a-z+]+:\/\/[^/]+)/i.exec(address)?.[1]?.toLowerCase() ?? address;
  });
}

function newlyLinked(base: string, candidate: string): string | undefined {
  const before = npmPackages(base);
  for (const [name, entry] of npmPackages(candidate)) {
    const known = before.get(name);
    if (entry.link === true && known !== undefined && known.link !== true) return name;
  }
  return undefined;
}

function npmPackages(text: string): Map<string, { link?: boolean | undefined }> {
  if (!text.trimStart().startsWith('{')) return new Map();
  try {
    const parsed = NpmLock.safeParse(JSON.parse(text));
    return parsed.success ? new Map(Object.entries(parsed.data.packages)) : new Map();
  } catch {
    // Not JSON: npm refuses such a lockfile, so it installs nothing.
    return new Map();
  }
}
