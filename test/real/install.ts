import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../src/errors.ts';
import { run } from '../../src/process/run.ts';
import { acquireLock, type Lock } from '../../src/store/lock.ts';
import { realWorld } from '../../src/world.ts';
import { PROGRAMS, type Program, type ProgramName } from './programs.ts';

/** A program's path, or why it cannot be had here. */
export type Installed = { path: string } | { missing: string };

/** Set by `npm run test:agents`, which has tried to install everything: a test then only looks. */
const PREPARED = 'MANYHANDS_AGENTS_PREPARED';
const REQUIRED = 'MANYHANDS_REQUIRE_AGENTS';
const INSTALL_MS = 300_000;
const LOCKED_MS = 900_000;
const LOOK_EVERY_MS = 200;
const UNFINISHED = '.unfinished-';
const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
const BRIEFLY = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000'];

/** Whether missing programs make the suite fail instead of skipping what needs them. */
export function isEveryProgramRequired(): boolean {
  return process.env[REQUIRED] === '1';
}

/** What is said where tests of a program cannot run. */
export function skipLine(name: ProgramName, reason: string): string {
  return `SKIPPED: ${name} ${PROGRAMS[name].version} could not be installed: ${reason}`;
}

/** Installs a pinned program into the cache, once for all checkouts and all processes of this machine. */
export async function installProgram(name: ProgramName): Promise<Installed> {
  const program = PROGRAMS[name];
  const cache = cacheFolder();
  const folder = join(cache, `${program.package.replaceAll('/', '+')}@${program.version}`);
  const there = findFile(folder, program);
  if (there !== undefined) return { path: there };
  if (process.env[PREPARED] === '1') return { missing: `it is not in ${cache}` };
  try {
    await mkdir(cache, { recursive: true });
    await using _lock = await waitForLock(join(cache, 'lock'));
    if (!existsSync(folder)) await installInto(folder, cache, program);
  } catch (error) {
    return { missing: messageOf(error) };
  }
  const path = findFile(folder, program);
  return path === undefined ? { missing: `${folder} has none of ${program.files.join(', ')}` } : { path };
}

/** Where the programs are kept, outside every dependency tree: they are 100 to 450 MB each. */
function cacheFolder(): string {
  if (process.env.MANYHANDS_TEST_CACHE) return process.env.MANYHANDS_TEST_CACHE;
  const base = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(process.env.XDG_CACHE_HOME || base, 'manyhands-test-agents');
}

function findFile(folder: string, program: Program): string | undefined {
  return program.files.map((file) => join(folder, 'node_modules', file)).find((file) => existsSync(file));
}

/** No system tells when another process lets go of a lock, so it is asked again. */
async function waitForLock(file: string): Promise<Lock> {
  const deadline = realWorld.now() + LOCKED_MS;
  for (;;) {
    const lock = await acquireLock(file);
    if (lock !== undefined) return lock;
    if (realWorld.now() > deadline) throw new Error(`another installation holds ${file} for too long`);
    await realWorld.sleep(LOOK_EVERY_MS);
  }
}

/** Made under another name and renamed when it is whole; what a killed installation left is removed first. */
async function installInto(folder: string, cache: string, program: Program): Promise<void> {
  for (const name of await readdir(cache)) {
    if (name.startsWith(UNFINISHED)) await rm(join(cache, name), { recursive: true, force: true });
  }
  const place = await mkdtemp(join(cache, UNFINISHED));
  try {
    process.stderr.write(`Installing ${program.package} ${program.version} for the tests (once) …\n`);
    await writeFile(join(place, 'package.json'), '{ "private": true }\n');
    await npmInstall(place, `${program.package}@${program.version}`);
    if (findFile(place, program) === undefined) throw new Error(`npm installed none of ${program.files.join(', ')}`);
    await rename(place, folder);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string, wanted: string): Promise<void> {
  const npm = process.env.npm_execpath;
  const program = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  const command = [...program, 'install', ...QUIETLY, ...BRIEFLY, '--save-exact', '--include=optional', wanted];
  const end = await run(command, { cwd: folder, env, timeoutMs: INSTALL_MS });
  if (end.timedOut) throw new Error(`npm took longer than ${INSTALL_MS / 1000} s`);
  if (end.code !== 0) throw new Error(firstLines(end.stderr) || `npm ended with ${end.code ?? end.signal}`);
}

function firstLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 3)
    .join(' ');
}
