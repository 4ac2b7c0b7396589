import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { isFitting } from '../../bin/node-version.mjs';

/** How a launcher is started: a Node that can run the program itself, or one that must start another. */
export type Launch = { node: string[]; options?: { cwd?: string; detached?: boolean; env?: NodeJS.ProcessEnv } };
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

const FIXTURES = join(import.meta.dirname, 'fixtures');
const BIN = join(import.meta.dirname, '../../bin');
const RUNTIME_VERSION = Object.values(
  JSON.parse(readFileSync(join(BIN, 'runtime/package.json'), 'utf8')).optionalDependencies,
)[0];

/** A Node that fits: the one that runs the tests. */
export const fittingNode: Launch = { node: [process.execPath] };
/** A Node that is too old: a real one if this machine has it, else one that says so. */
export const olderNode: Launch = {
  node: findOlderNode() ?? [process.execPath, '--require', join(FIXTURES, 'pretend-old.cjs')],
};

/** A folder like an installed package: the real launcher, a small program as dist, and a Node in the cache beside it. */
export async function install(parts: { dist?: false; node?: false } = {}): Promise<string> {
  const folder = join(temporaryFolder(), 'many hands');
  cpSync(BIN, join(folder, 'bin'), { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"manyhands","version":"0.0.0","type":"module","bin":{"mh":"bin/manyhands.mjs"}}',
  );
  if (parts.dist !== false) await buildProgram(join(folder, 'dist/main.js'));
  if (parts.node !== false) bringNode(cacheOf(folder));
  return folder;
}

export function launcherIn(folder: string): string {
  return join(folder, 'bin/manyhands.mjs');
}

/** Starts a launcher; it and what it started are gone when the test ends. */
export function start(launch: Launch, launcher: string, args: string[]): ChildProcess {
  const [program = '', ...before] = launch.node;
  const env = { ...process.env, XDG_CACHE_HOME: cacheOf(join(dirname(realpathSync(launcher)), '..')) };
  const child = spawn(program, [...before, launcher, ...args], { stdio: 'pipe', env, ...launch.options });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Runs a launcher to the end of everything that holds its output. */
export async function launch(how: Launch, launcher: string, args: string[], input = ''): Promise<Ended> {
  const child = start(how, launcher, args);
  child.stdin?.end(input);
  return untilEnded(child);
}

/** Waits for the launcher's end and for the end of its output, which the program holds too. */
export async function untilEnded(child: ChildProcess): Promise<Ended> {
  const exit = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  if (child.stdout === null || child.stderr === null) throw new Error('The output is not piped');
  const [{ code, signal }, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, signal, stdout, stderr };
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mh-launcher-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function buildProgram(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(FIXTURES, 'program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.18',
  });
}

/** Where a launcher looks for the Node that was installed for it. */
function cacheOf(folder: string): string {
  return join(folder, 'cache');
}

function bringNode(cache: string): void {
  const system = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, 'manyhands', `node-${RUNTIME_VERSION}`, 'node_modules', system);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"node-brought","version":"0.0.0"}');
  symlinkSync(process.execPath, join(folder, 'bin/node'));
}

function findOlderNode(): string[] | undefined {
  const nodes = [...new Set((process.env.PATH ?? '').split(delimiter))].map((folder) => join(folder, 'node'));
  const found = nodes.find((node) => existsSync(node) && dirname(node) !== dirname(process.execPath) && isOlder(node));
  return found === undefined ? undefined : [found];
}

function isOlder(node: string): boolean {
  return !isFitting(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim());
}
