import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import {
  fittingNode,
  install,
  type Launch,
  launch,
  launcherIn,
  olderNode,
  start,
  temporaryFolder,
  untilEnded,
} from './installation.ts';

describe.each([
  ['on a Node that fits', fittingNode],
  ['on an older Node', olderNode],
])('%s', (_name, how) => {
  test('runs from any folder, with the arguments as they are', async () => {
    const launcher = launcherIn(await install());
    const cwd = temporaryFolder();
    const args = ['tell', '--json', 'two words', '', '$HOME', '"*"'];
    const ended = await launch({ ...how, options: { cwd } }, launcher, args);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({ args, cwd, link: null });
  });

  test('runs through a symlink', async () => {
    const link = join(temporaryFolder(), 'mh');
    symlinkSync(launcherIn(await install()), link);
    expect(await launch(how, link, ['exit', '0'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('hands stdin on', async () => {
    const ended = await launch(how, launcherIn(await install()), ['copy'], 'a goal\n');
    expect(ended.stdout).toBe('a goal\n');
  });

  test('ends with the exit code of the program', async () => {
    expect(await launch(how, launcherIn(await install()), ['exit', '4'])).toMatchObject({ code: 4, signal: null });
  });

  test('ends by the signal that ended the program', async () => {
    const launcher = launcherIn(await install());
    expect(await launch(how, launcher, ['die', 'SIGTERM'])).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(await launch(how, launcher, ['die', 'SIGKILL'])).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('is ended by a signal that the program does not listen to', async () => {
    const child = start(how, launcherIn(await install()), ['wait']);
    const ended = untilEnded(child);
    await ready(child);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' });
  });

  test('a signal to the launcher alone reaches the program once', async () => {
    const child = start(how, launcherIn(await install()), ['listen']);
    const ended = untilEnded(child);
    await ready(child);
    child.kill('SIGINT');
    await saying(child, 'SIGINT');
    child.kill('SIGHUP');
    await saying(child, 'SIGHUP');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 7, stdout: 'ready\nSIGINT\nSIGHUP\nSIGTERM\n' });
  });

  test('a signal to the whole group, as a Ctrl-C is, reaches the program once', async () => {
    const child = start({ ...how, options: { detached: true } }, launcherIn(await install()), ['listen']);
    const ended = untilEnded(child);
    await ready(child);
    process.kill(-Number(child.pid), 'SIGINT');
    await saying(child, 'SIGINT');
    process.kill(-Number(child.pid), 'SIGINT');
    await saying(child, 'SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 7, stdout: 'ready\nSIGINT\nSIGINT\nSIGTERM\n' });
  });

  test('SIGKILL of the launcher ends the program too', async () => {
    const child = start(how, launcherIn(await install()), ['listen']);
    const ended = untilEnded(child);
    await ready(child);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL', stdout: 'ready\n' });
  });

  test('says what to do when it is not built', async () => {
    const folder = await install({ dist: false });
    const { code, stdout, stderr } = await launch(how, launcherIn(folder), ['tell']);
    expect(stderr).toBe(`Manyhands is not built yet: run \`npm run setup\` in ${folder}/ first.\n`);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  });
});

test.each([
  ['itself where its Node fits', fittingNode, true],
  ['by another process where another Node is needed', olderNode, false],
])('runs the program %s', async (_name, how, isItself) => {
  const child = start(how, launcherIn(await install()), ['pid']);
  const { code, stdout } = await untilEnded(child);
  expect(code).toBe(0);
  expect(Number(stdout) === child.pid).toBe(isItself);
});

test('shows every warning but that of an experimental SQLite', async () => {
  const { stderr } = await launch(fittingNode, launcherIn(await install()), ['warn']);
  expect(stderr).toContain('something else is experimental');
  expect(stderr).not.toContain('SQLite');
});

describe('where no Node is new enough', () => {
  /** An npm that behaves as told, in front of everything else; `npm_execpath` of the test's own npm is left out. */
  function withNpm(folder: string, script: string): Launch {
    const bin = join(folder, 'npm-bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const { npm_execpath: _, ...env } = process.env;
    const PATH = `${bin}:/usr/bin:/bin`;
    return { ...olderNode, options: { env: { ...env, PATH, XDG_CACHE_HOME: join(folder, 'new cache') } } };
  }

  test('installs one through npm, with a pinned integrity, says so, and runs on it from then on', async () => {
    const folder = await install({ node: false });
    const system = `node-${process.platform}-${process.arch}`;
    const script = [
      'echo "npm $*" >&2',
      'grep -q \'"integrity": "sha512-\' package-lock.json || exit 9',
      `mkdir -p node_modules/${system}/bin && ln -s "${process.execPath}" node_modules/${system}/bin/node`,
    ].join('\n');
    const how = withNpm(folder, script);
    const first = await launch(how, launcherIn(folder), ['exit', '0']);
    expect(first.stderr).toMatch(
      /^Manyhands needs Node 22\.18 or newer and this is v\S+\. Installing Node 24\S+ with npm into .*new cache.* \(once; 189 MB\) …\n$/,
    );
    expect(first.code).toBe(0);
    expect(await launch(how, launcherIn(folder), ['exit', '0'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('reports the progress of an installation that takes seconds', async () => {
    const folder = await install({ node: false });
    const root = join(import.meta.dirname, '../..');
    for (const name of ['scripts', 'package.json', 'package-lock.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    const go = join(folder, 'go');
    const npm = `mkdir -p node_modules/a node_modules/@b/c; while [ ! -e "${go}" ]; do sleep 0.1; done; exit 1`;
    const how = withNpm(folder, npm);
    for (const script of [launcherIn(folder), join(folder, 'scripts/setup.mjs')]) {
      rmSync(go, { force: true });
      const child = start(how, script, []);
      const lines: string[] = [];
      if (child.stderr === null) throw new Error('The output is not piped');
      for await (const line of createInterface({ input: child.stderr })) {
        lines.push(line);
        if (line.includes('so far')) writeFileSync(go, '');
      }
      expect(lines[0]).toMatch(/Installing .* …$/);
      expect(lines[1]).toMatch(/^Installing (Node 24\S+|dependencies): \d+ s, 2 packages so far …$/);
      expect(lines.slice(2).join('\n')).toMatch(/could not (be installed|install one)/);
    }
  });

  test('says what npm said and what to do, and leaves nothing half installed, when that fails', async () => {
    const folder = await install({ node: false });
    const how = withNpm(folder, 'mkdir -p node_modules; echo "no network" >&2; exit 1');
    const { code, stderr } = await launch(how, launcherIn(folder), ['tell']);
    expect(stderr).toContain('no network');
    expect(stderr).toContain('Install Node 22.18 or newer, then try again.');
    expect(code).toBe(3);
    expect(readdirSync(join(folder, 'new cache/manyhands'))).toEqual([]);
  });
});

test('runs as a command that npm linked', async () => {
  const folder = await install();
  const prefix = temporaryFolder();
  const env = { ...process.env, npm_config_prefix: prefix };
  execFileSync('npm', ['link', '--no-audit', '--no-fund', '--offline'], { cwd: folder, env, stdio: 'pipe' });
  const { stdout } = await launch(olderNode, join(prefix, 'bin/mh'), ['tell', 'linked']);
  expect(JSON.parse(stdout)).toMatchObject({ args: ['tell', 'linked'] });
});

test('runs by npx from the packed package, also in a project of another package manager', async () => {
  const folder = await install();
  cpSync(join(import.meta.dirname, '../../package.json'), join(folder, 'package.json'));
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const npm = { ...process.env, PATH, npm_config_offline: 'true', npm_config_cache: join(temporaryFolder(), 'cache') };
  const destination = temporaryFolder();
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', destination], {
    cwd: folder,
    env: npm,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [{ filename, files }] = JSON.parse(String(packed));
  expect(files.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['bin/manyhands.mjs', 'bin/progress.mjs', 'bin/runtime/package-lock.json', 'dist/main.js']),
  );
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'package.json'), '{"name":"app","packageManager":"pnpm@9.0.0","workspaces":["packages/*"]}');
  const before = readdirSync(cwd);
  const args = ['--yes', `--package=${join(destination, filename)}`, 'manyhands', 'tell', 'by npx'];
  const stdout = execFileSync('npx', args, { cwd, env: npm, stdio: ['ignore', 'pipe', 'pipe'] });
  expect(JSON.parse(String(stdout))).toMatchObject({ args: ['tell', 'by npx'], cwd });
  expect(readdirSync(cwd)).toEqual(before);
});

async function ready(child: ReturnType<typeof start>): Promise<void> {
  await saying(child, 'ready');
}

async function saying(child: ReturnType<typeof start>, word: string): Promise<void> {
  if (child.stdout === null) throw new Error('The output is not piped');
  const [text] = await once(child.stdout, 'data');
  expect(String(text)).toBe(`${word}\n`);
}
