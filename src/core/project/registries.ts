/** Files in a project's top folder that name package registries. */
export const REGISTRY_FILES = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'Cargo.lock',
  'Cargo.toml',
  'Gemfile',
  'Gemfile.lock',
  'Pipfile',
  'Pipfile.lock',
  'bun.lock',
  'bunfig.toml',
  'composer.json',
  'composer.lock',
  'go.mod',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'package.json',
  'pip.conf',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'poetry.lock',
  'pubspec.lock',
  'pubspec.yaml',
  'pyproject.toml',
  'requirements-dev.txt',
  'requirements.txt',
  'setup.py',
  'uv.lock',
  'yarn.lock',
] as const;
/** The same in other folders. */
export const REGISTRY_PATHS = ['.cargo/config.toml', '.cargo/config'] as const;

/** What a package manager uses unless it is configured otherwise, by the files that show its use. */
const USUAL: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(package(-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lock)$/, ['registry.npmjs.org']],
  [/^yarn\.lock$|^\.yarnrc/, ['registry.npmjs.org', 'registry.yarnpkg.com', 'repo.yarnpkg.com']],
  [
    /^(requirements(-dev)?\.txt|pyproject\.toml|setup\.py|Pipfile(\.lock)?|poetry\.lock|uv\.lock)$/,
    ['pypi.org', 'files.pythonhosted.org'],
  ],
  [/^Cargo\.(toml|lock)$/, ['index.crates.io', 'static.crates.io', 'crates.io']],
  [/^go\.(mod|sum)$/, ['proxy.golang.org', 'sum.golang.org', 'storage.googleapis.com']],
  [/^Gemfile(\.lock)?$/, ['rubygems.org', 'index.rubygems.org']],
  [/^composer\.(json|lock)$/, ['repo.packagist.org', 'packagist.org', 'api.github.com', 'codeload.github.com']],
  [/^pubspec\.(yaml|lock)$/, ['pub.dev', 'pub.dartlang.org']],
];
/** Only lines with these words name a registry; other addresses in such files are home pages and funding. */
const NAMES_REGISTRY =
  /registry|resolved|tarball|index|source|remote|\burl\b|find-links|mirror|server|hosted|\bdist\b/i;
const NOT_A_REGISTRY = /homepage|funding|bugs|repository|documentation|changelog|readme|support|"?license/i;
const MOST_HOSTS = 64;

/** The hosts of the package registries that a project's own files name, and of those that its package managers use otherwise. */
export function registriesIn(files: ReadonlyMap<string, string>): string[] {
  const hosts = new Set<string>();
  for (const [name, text] of files) {
    for (const [pattern, usual] of USUAL) if (pattern.test(name)) for (const host of usual) hosts.add(host);
    if (name === 'package.json' || name === 'composer.json') continue;
    for (const line of text.split('\n')) {
      if (!line.includes('://') || !NAMES_REGISTRY.test(line) || NOT_A_REGISTRY.test(line)) continue;
      for (const [, host] of line.matchAll(
        /\bhttps?:\/\/(?:[^/@\s"']*@)?([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9](?::\d+)?)/g,
      ))
        if (host !== undefined && hosts.size < MOST_HOSTS) hosts.add(host.toLowerCase());
    }
  }
  return [...hosts];
}

/** What is beside a forge: its API and its downloads. */
const BESIDE_FORGE: Readonly<Record<string, readonly string[]>> = {
  'github.com': ['api.github.com', 'codeload.github.com', 'raw.githubusercontent.com', 'objects.githubusercontent.com'],
  'bitbucket.org': ['api.bitbucket.org'],
};

/** The hosts of a project's forge, by the address of a remote; none for a folder of this machine. */
export function forgeHosts(remote: string): string[] {
  const address = remote.replace(/^remote\.\S+\.url\s+/, '');
  const url = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?([^:/[\]]+)(?::\d*)?\/./i.exec(address);
  const scp = /^(?:[^@/:]+@)?([^:/]+):(?!\/\/)./.exec(address);
  const host = (url ?? scp)?.[1]?.toLowerCase();
  return host === undefined || !host.includes('.') ? [] : [host, ...(BESIDE_FORGE[host] ?? [])];
}
