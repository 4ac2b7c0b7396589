import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../src/errors.ts';
import { run } from '../../src/process/run.ts';
import { acquireLock, type Lock } from '../../src/store/lock.ts';
import { realWorld } from '../../src/world.ts';
import { cacheFolder, folderOf, PROGRAMS, type Program, type ProgramName } from './programs.ts';

/** A program's path, or why it cannot be had here. */
export type Installed = { path: string } | { missing: string };

/** Set by `npm run test:agents`, which has tried to install everything: a test then only looks. */
const PREPARED = 'MANYHANDS_AGENTS_PREPARED';
const REQUIRED = 'MANYHANDS_REQUIRE_AGENTS';
const INSTALL_MS = 300_000;
const LOOK_EVERY_MS = 200;
const UNFINISHED = '.unfinished-';
const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
const BRIEFLY = [
  ...['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000', '--fetch-timeout=60000'],
];
/** What npm says of its work when it has done all of it. */
const LISTED = 'node_modules/.package-lock.json';
const Listed = z.object({ packages: z.record(z.string(), z.unknown()) });

/** Whether missing programs make the suite fail instead of skipping what needs them. */
export function isEveryProgramRequired(): boolean {
  return process.env[REQUIRED] === '1';
}

/** What is said where tests of a program cannot run. */
export function skipLine(name: ProgramName, reason: string): string {
  return `SKIPPED: ${name} ${PROGRAMS[name].version} could not be installed: ${reason}`;
}

/**
 * Installs a pinned program into the cache, once for all checkouts and all processes of this machine, within so much
 * time; one that is only half there is installed again.
 */
export async function installProgram(name: ProgramName, withinMs = INSTALL_MS): Promise<Installed> {
  const program = PROGRAMS[name];
  const cache = cacheFolder();
  const folder = folderOf(program);
  const there = findWhole(folder, program);
  if (there !== undefined) return { path: there };
  if (process.env[PREPARED] === '1') return { missing: `it is not in ${cache}` };
  const deadline = realWorld.now() + Math.min(withinMs, INSTALL_MS);
  try {
    await mkdir(cache, { recursive: true });
    await using _lock = await waitForLock(join(cache, 'lock'), deadline);
    if (findWhole(folder, program) === undefined) await installInto(folder, program, deadline);
  } catch (error) {
    return { missing: messageOf(error) };
  }
  const path = findWhole(folder, program);
  return path === undefined ? { missing: `${folder} is not whole` } : { path };
}

/** The program's file, if all that it needs is there too. */
function findWhole(folder: string, program: Program): string | undefined {
  const modules = join(folder, 'node_modules');
  if (!program.native.some((name) => existsSync(join(modules, name, 'package.json')))) return undefined;
  if (!hasAllListed(folder)) return undefined;
  return program.files.map((file) => join(modules, file)).find((file) => isFilled(file));
}

function hasAllListed(folder: string): boolean {
  try {
    const { packages } = Listed.parse(JSON.parse(readFileSync(join(folder, LISTED), 'utf8')));
    return Object.keys(packages).every((path) => isFilled(join(folder, path, 'package.json')));
  } catch {
    // No list, or half of one: npm was not done.
    return false;
  }
}

function isFilled(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** No system tells when another process lets go of a lock, so it is asked again. */
async function waitForLock(file: string, deadline: number): Promise<Lock> {
  for (;;) {
    const lock = await acquireLock(file);
    if (lock !== undefined) return lock;
    if (realWorld.now() > deadline) throw new Error(`another installation holds ${file} for too long`);
    await realWorld.sleep(LOOK_EVERY_MS);
  }
}

/** Installs into a temporary folder and renames it when it is complete; incomplete ones of killed processes are removed. */
async function installInto(folder: string, program: Program, deadline: number): Promise<void> {
  const cache = dirname(folder);
  for (const name of await readdir(cache)) {
    if (name.startsWith(UNFINISHED)) await rm(join(cache, name), { recursive: true, force: true });
  }
  const temporary = await mkdtemp(join(cache, UNFINISHED));
  try {
    process.stderr.write(`Installing ${program.package} ${program.version} for the tests (once) …\n`);
    await writeFile(join(temporary, 'package.json'), '{ "private": true }\n');
    await npmInstall(temporary, `${program.package}@${program.version}`, deadline - realWorld.now());
    if (findWhole(temporary, program) === undefined)
      throw new Error(`npm left out some of ${program.native.join(', ')}`);
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string, requested: string, withinMs: number): Promise<void> {
  if (withinMs <= 0) throw new Error('there was no time left to install it');
  const npm = process.env.npm_execpath;
  const program = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  const command = [...program, 'install', ...QUIETLY, ...BRIEFLY, '--save-exact', '--include=optional', requested];
  const end = await run(command, { cwd: folder, env, timeoutMs: withinMs });
  if (end.timedOut) throw new Error(`npm took longer than ${Math.round(withinMs / 1000)} s`);
  if (end.code !== 0) throw new Error(firstLines(end.stderr) || `npm ended with ${end.code ?? end.signal}`);
}

function firstLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 3)
    .join(' ');
}
