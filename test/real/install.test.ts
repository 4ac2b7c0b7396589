import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/process/run.ts';
import { closedAddress } from './model-server.ts';
import { PROGRAMS } from './programs.ts';

const PREPARE = fileURLToPath(new URL('./prepare.ts', import.meta.url));
const { version, package: packageName } = PROGRAMS.gemini;
const FOLDER = `${packageName.replaceAll('/', '+')}@${version}`;
/** What a whole installation has at least. */
const FILES: Record<string, string> = {
  'node_modules/.bin/gemini': '#!/bin/sh\n',
  'node_modules/@google/gemini-cli/package.json': '{}',
  'node_modules/.package-lock.json': JSON.stringify({ packages: { 'node_modules/@google/gemini-cli': {} } }),
};

describe('installing a real program', () => {
  it('reports what is skipped without a registry, and does not fail', async () => {
    const cache = temporaryCache();
    const end = await prepare(cache, { npm_config_registry: await closedAddress() });
    expect(end.stderr).toMatch(new RegExp(`^SKIPPED: gemini ${version} could not be installed: .*ECONNREFUSED`, 'm'));
    expect(end.code).toBe(0);
    expect(readdirSync(cache).filter((name) => name.includes('gemini') || name.includes('unfinished'))).toEqual([]);
  });

  it('fails if every program is required', async () => {
    const registry = { npm_config_registry: await closedAddress() };
    const end = await prepare(temporaryCache(), { ...registry, MANYHANDS_REQUIRE_AGENTS: '1' });
    expect(end.stderr).toContain('SKIPPED: gemini');
    expect(end.code).toBe(1);
  });

  it('uses the cache without a request', async () => {
    const cache = temporaryCache();
    plant(join(cache, FOLDER), FILES);
    expect(await prepare(cache, { npm_config_registry: await closedAddress() })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(Object.keys(FILES))('installs again what was left without its %s', async (file) => {
    const cache = temporaryCache();
    plant(join(cache, FOLDER), { ...FILES, [file]: '' });
    const end = await prepare(cache, fakeNpm(cache));
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('Installing') });
    expect(readdirSync(join(cache, 'calls'))).toHaveLength(1);
    expect(readFileSync(join(cache, FOLDER, file), 'utf8')).toBe(FILES[file]);
  });

  it('does not accept an incomplete installation, and removes it', async () => {
    const cache = temporaryCache();
    const end = await prepare(cache, fakeNpm(cache, { 'node_modules/.bin/gemini': '#!/bin/sh\n' }));
    expect(end.stderr).toContain('SKIPPED: gemini');
    expect(readdirSync(cache).filter((name) => name.includes('gemini') || name.includes('unfinished'))).toEqual([]);
  });

  it('reports what is missing, for the last line of the tests', async () => {
    const cache = temporaryCache();
    const file = join(cache, 'report.json');
    await prepare(cache, { npm_config_registry: await closedAddress(), MANYHANDS_AGENTS_REPORT: file });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([expect.stringContaining(`gemini ${version}: `)]);
  });

  it('installs once for two concurrent requests', async () => {
    const cache = temporaryCache();
    const npm = fakeNpm(cache);
    const both = await Promise.all([prepare(cache, npm), prepare(cache, npm)]);
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(both.map(({ stderr }) => stderr).join('')).not.toContain('SKIPPED');
    expect(readdirSync(join(cache, 'calls'))).toHaveLength(1);
  });
});

function temporaryCache(): string {
  const cache = mkdtempSync(join(tmpdir(), 'mh-agents-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  return cache;
}

function plant(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** In the place of npm: leaves a mark of each call, and what the package would bring. */
function fakeNpm(cache: string, files = FILES): Record<string, string> {
  mkdirSync(join(cache, 'calls'));
  const file = join(cache, 'npm-cli.js');
  writeFileSync(
    file,
    `const { mkdirSync, writeFileSync } = require('node:fs');
    const { dirname } = require('node:path');
    writeFileSync(${JSON.stringify(join(cache, 'calls'))} + '/' + process.pid, '');
    for (const [path, text] of Object.entries(${JSON.stringify(files)})) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }`,
  );
  return { npm_execpath: file };
}

function prepare(cache: string, more: Record<string, string>) {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  const env = { PATH: path, HOME: cache, MANYHANDS_TEST_CACHE: cache, ...more };
  return run([process.execPath, PREPARE, 'gemini'], { env, timeoutMs: 100_000 });
}
