import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratch, writeFiles } from '../../../support/scratch.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

- later

## [9.1.0] - 2027-01-01

- Brings \u001b[31mthe second\u001b[0m.

## [9.0.0] - 2026-12-01

- Brings the first.

## [0.0.1] - 2025-01-01

- Is old.
`;

/** A registry with one package, as npm expects it. */
async function makeRegistry(
  folder: string,
  version: string,
  isPacked = true,
): Promise<AsyncDisposable & { url: string; asked: string[] }> {
  writeFiles(folder, {
    'package/package.json': JSON.stringify({ name: 'manyhands', version }),
    'package/CHANGELOG.md': CHANGELOG,
  });
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const tarball = readFileSync(join(folder, 'package.tgz'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const dist = { tarball: `${url}/manyhands/-/manyhands-${version}.tgz`, integrity };
    const versions = { [version]: { name: 'manyhands', version, dist } };
    const document = { name: 'manyhands', 'dist-tags': { latest: version }, versions };
    if (request.url?.endsWith('.tgz')) response.writeHead(isPacked ? 200 : 404).end(isPacked ? tarball : '');
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked: requests,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

it('reports the newest version, what changed and how to install it, and installs nothing', async () => {
  await using project = await makeScratch({ files: { 'a.txt': 'a\n' } });
  await using registry = await makeRegistry(join(project.root, 'registry'), '9.1.0');
  const env = { npm_config_registry: registry.url, npm_config_cache: join(project.root, 'cache') };
  const before = await project.fingerprint();
  const { stdout, code } = await project.mh(['upgrade', '--check'], { env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Installed: 0\.\d+\.\d+\nNewest: +9\.1\.0\n/)]);
  expect(stdout).toContain('- Brings the second.');
  expect(stdout).toContain('- Brings the first.');
  for (const text of ['later', 'Is old', '\u001b']) expect(stdout).not.toContain(text);
  expect(stdout).toMatch(/Nothing was changed\. Install it with: (git -C|npm install --global manyhands@9\.1\.0)/);
  expect(registry.asked.every((request) => request.startsWith('GET /manyhands'))).toBe(true);
  expect(await project.fingerprint()).toBe(before);
  await using same = await makeRegistry(join(project.root, 'old'), '0.0.1');
  const newest = await project.mh(['upgrade', '--json'], { env: { ...env, npm_config_registry: same.url } });
  expect(newest.json).toMatchObject({ newest: '0.0.1', isNewer: false, changes: null });
  await using unpacked = await makeRegistry(join(project.root, 'unpacked'), '9.2.0', false);
  const known = await project.mh(['upgrade', '--json'], { env: { ...env, npm_config_registry: unpacked.url } });
  expect(known.json).toMatchObject({ newest: '9.2.0', isNewer: true, changes: null });
  const unreachable = { ...env, npm_config_registry: 'http://127.0.0.1:9', npm_config_offline: 'false' };
  const failed = await project.mh(['upgrade', '--check'], {
    env: { ...unreachable, npm_config_cache: join(project.root, 'new') },
  });
  expect([failed.code, failed.stderr]).toEqual([
    3,
    expect.stringMatching(/The newest version could not be found: npm: .*ECONNREFUSED/),
  ]);
});
