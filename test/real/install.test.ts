import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/process/run.ts';
import { closedAddress } from './model-server.ts';
import { PROGRAMS } from './programs.ts';

const PREPARE = fileURLToPath(new URL('./prepare.ts', import.meta.url));
const { version, package: wanted } = PROGRAMS.gemini;

describe('installing a real program', () => {
  it('says loudly what is skipped where there is no registry, and does not fail', async () => {
    const cache = temporaryCache();
    const end = await prepare(cache, { npm_config_registry: await closedAddress() });
    expect(end.stderr).toMatch(new RegExp(`^SKIPPED: gemini ${version} could not be installed: .*ECONNREFUSED`, 'm'));
    expect(end.code).toBe(0);
    expect(readdirSync(cache).filter((name) => name.includes('gemini') || name.includes('unfinished'))).toEqual([]);
  });

  it('fails instead where every program is required', async () => {
    const registry = { npm_config_registry: await closedAddress() };
    const end = await prepare(temporaryCache(), { ...registry, MANYHANDS_REQUIRE_AGENTS: '1' });
    expect(end.stderr).toContain('SKIPPED: gemini');
    expect(end.code).toBe(1);
  });

  it('takes what is in the cache and asks nobody', async () => {
    const cache = temporaryCache();
    const bin = join(cache, `${wanted.replaceAll('/', '+')}@${version}`, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'gemini'), '');
    expect(await prepare(cache, { npm_config_registry: await closedAddress() })).toMatchObject({ code: 0, stderr: '' });
  });

  it('installs once for two who ask at the same time', async () => {
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

/** In the place of npm: leaves a mark of each call, and what the package would bring. */
function fakeNpm(cache: string): Record<string, string> {
  mkdirSync(join(cache, 'calls'));
  const file = join(cache, 'npm-cli.js');
  writeFileSync(
    file,
    `const fs = require('node:fs');
    fs.writeFileSync(${JSON.stringify(join(cache, 'calls'))} + '/' + process.pid, '');
    fs.mkdirSync('node_modules/.bin', { recursive: true });
    fs.writeFileSync('node_modules/.bin/gemini', '');`,
  );
  return { npm_execpath: file };
}

function prepare(cache: string, more: Record<string, string>) {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  const env = { PATH: path, HOME: cache, MANYHANDS_TEST_CACHE: cache, ...more };
  return run([process.execPath, PREPARE, 'gemini'], { env, timeoutMs: 100_000 });
}
