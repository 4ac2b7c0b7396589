import { expect, test } from 'vitest';
import { forgeHosts, registriesIn } from '../../../src/core/project/registries.ts';

const found = (files: Record<string, string>) => registriesIn(new Map(Object.entries(files)));

test.each([
  [{ 'package.json': '{"homepage":"https://home.example"}' }, ['registry.npmjs.org']],
  [
    {
      'package-lock.json':
        '"resolved": "https://npm.example/a/-/a-1.tgz",\n"funding": { "url": "https://money.example" }\n',
    },
    ['registry.npmjs.org', 'npm.example'],
  ],
  [
    { '.npmrc': 'registry=https://npm.corp.example:8443/\n@x:registry=http://other.example/x' },
    ['npm.corp.example:8443', 'other.example'],
  ],
  [
    { 'yarn.lock': '  resolved "https://registry.yarnpkg.com/a.tgz"' },
    ['registry.npmjs.org', 'registry.yarnpkg.com', 'repo.yarnpkg.com'],
  ],
  [
    { 'requirements.txt': '--index-url https://user:secret@py.example/simple\n' },
    ['pypi.org', 'files.pythonhosted.org', 'py.example'],
  ],
  [
    { 'uv.lock': 'source = { registry = "https://py.example/simple" }' },
    ['pypi.org', 'files.pythonhosted.org', 'py.example'],
  ],
  [{ '.cargo/config.toml': 'index = "sparse+https://crates.example/index/"' }, ['crates.example']],
  [
    { 'Cargo.lock': 'source = "registry+https://github.com/rust-lang/crates.io-index"' },
    ['index.crates.io', 'static.crates.io', 'crates.io', 'github.com'],
  ],
  [{ 'go.mod': 'module x' }, ['proxy.golang.org', 'sum.golang.org', 'storage.googleapis.com']],
  [{}, []],
])('the registries of %j', (files, hosts) => expect(found(files)).toEqual(hosts));

test.each([
  ['remote.origin.url https://github.com/a/b.git', 'github.com'],
  ['remote.origin.url git@gitlab.example.com:a/b.git', 'gitlab.example.com'],
  ['remote.x.url ssh://git@git.example.com:2222/a', 'git.example.com'],
  ['remote.origin.url /srv/git/project', undefined],
  ['remote.origin.url file:///srv/git/project', undefined],
  ['remote.origin.url work:project', undefined],
  ['', undefined],
])('the forge of %j', (line, host) => expect(forgeHosts(line)[0]).toBe(host));
