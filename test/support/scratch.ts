import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fingerprint } from '../../src/git/read/fingerprint.ts';
import { CONTAINS_ALL, requireSandbox, SHARED_FOLDER } from './contained.ts';

export type ScratchOptions = {
  /** The files of the first commit, by path; one that begins with `#!` can be executed. */
  files: Record<string, string>;
  /** A shell command that must exit 0 before anything lands; it becomes the project's configured check. */
  check?: string;
  /** Where it is; the temporary folder unless given. */
  parent?: string;
  /** Whether every program of a task must be in the sandbox; MANYHANDS_TEST_SANDBOX=require contains all that do not decide it. */
  contained?: boolean | undefined;
};

type Environment = Record<string, string>;

/** How a command ended; `json` is what stdout held, if it was one JSON document. */
export type Finished = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  json: unknown;
};

/** A command under way. */
type Running = {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has written this to stderr; rejects when it ends without. */
  received(text: string): Promise<void>;
  done: Promise<Finished>;
};

type LeftoverProcess = { pid: number; command: string };

/** `prefix`: what the command begins with, as for another network. `launcher`: another program than the built one. */
type StartOptions = { env?: Environment; cwd?: string; prefix?: readonly string[]; launcher?: string };

/** A user's repository, data directory and home folder of their own, and the real program to work on them. */
export interface Scratch extends AsyncDisposable {
  /** HOME of everything that is started here; the rest stands below it. */
  readonly root: string;
  readonly repo: string;
  /** MANYHANDS_HOME. */
  readonly home: string;
  /** Whether its programs are in the sandbox unless a test chooses otherwise. */
  readonly isContained: boolean;
  /** Runs `manyhands` in the repository, or in another folder, to its end. */
  mh(args: readonly string[], options?: { env?: Environment; cwd?: string }): Promise<Finished>;
  /** Starts `manyhands` in the repository, or in another folder. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs git as the user and gives its stdout. */
  git(...args: string[]): string;
  /** One hash over everything in the repository that is the user's. */
  fingerprint(): Promise<string>;
  /** Whatever was started here, by whomever, and still runs. */
  alive(): LeftoverProcess[];
  /** The same, once nothing changes that list any more; gives up waiting after a few seconds. */
  leftovers(): Promise<LeftoverProcess[]>;
  /** Kills whatever was started here, as a power cut would. */
  endAll(): Promise<void>;
}

/** From here, and from the built benchmarks in dist. */
const LAUNCHER =
  ['../../bin/manyhands.mjs', '../bin/manyhands.mjs']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find(existsSync) ?? '';
const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
const DYING_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Makes a repository with one commit on `main`; disposing ends what still runs in it and removes it all. */
export async function makeScratch(options: ScratchOptions): Promise<Scratch> {
  const { files, check, parent = tmpdir(), contained = CONTAINS_ALL } = options;
  const root = realpathSync(mkdtempSync(join(parent, 'mh-scratch-')));
  mkdirSync(join(root, SHARED_FOLDER));
  const scratch = scratchAt(root, contained ? await requireSandbox(root) : {});
  const { repo, git } = scratch;
  const settings = check === undefined ? {} : { '.manyhands/config.yaml': `checks:\n  - ${JSON.stringify(check)}\n` };
  writeFiles(repo, { ...settings, ...files });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  return scratch;
}

/** The same, of a folder that holds a repository and a data directory already, or soon will. */
export function scratchAt(root: string, more: Environment = {}): Scratch {
  const repo = join(root, 'project');
  const home = join(root, 'data');
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: root,
    MANYHANDS_HOME: home,
    // Tests whose agents act outside of their workspace need no sandbox; those about the sandbox name one.
    MANYHANDS_BWRAP: '',
    LC_ALL: 'C',
    ...more,
  };
  const git = (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: repo, env, encoding: 'utf8' }).trim();
  const start = (args: readonly string[], options: StartOptions = {}) =>
    startProgram([...(options.prefix ?? []), process.execPath, options.launcher ?? LAUNCHER, ...args], {
      cwd: options.cwd ?? repo,
      env: { ...env, ...options.env },
    });
  return {
    root,
    repo,
    home,
    isContained: env.MANYHANDS_BWRAP !== '',
    start,
    git,
    mh: (args, options) => start(args, options).done,
    fingerprint: () => fingerprint({ root: repo, gitDir: join(repo, '.git'), commonDir: join(repo, '.git') }),
    alive: () => processesOf(root),
    leftovers: () => untilNone(() => processesOf(root)),
    endAll: () => endAll(root),
    [Symbol.asyncDispose]: () => removeScratch(root),
  };
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
  }
}

function startProgram(command: readonly string[], options: { cwd: string; env: Environment }): Running {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const finish = async (): Promise<Finished> => {
    const [stdout, stderr, ended] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    return { ...ended, stdout, stderr, json: parsed(stdout) };
  };
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    received: (expected) => waitForText(child.stderr, expected),
    done: finish(),
  };
}

function waitForText(output: Readable, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    output.on('data', (chunk) => {
      received += String(chunk);
      if (received.includes(expected)) resolve();
    });
    output.once('end', () => reject(new Error(`It ended without "${expected}": ${received}`)));
  });
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    // Text for people.
    return undefined;
  }
}

/** Everything started here carries the scratch folder in its environment, its arguments or as its folder. Linux only. */
function processesOf(root: string): LeftoverProcess[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim();
    const isHere = `${command}\0${read(`/proc/${name}/environ`)}\0${folderOf(name)}`.includes(root);
    return isHere && !isZombie(name) ? [{ pid: Number(name), command }] : [];
  });
}

function isZombie(pid: string): boolean {
  return /\) [ZX]/.test(read(`/proc/${pid}/stat`));
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It ended meanwhile.
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It ended meanwhile, or is another user's.
    return '';
  }
}

async function untilNone(condition: () => LeftoverProcess[]): Promise<LeftoverProcess[]> {
  for (let waited = 0; waited < DYING_MS; waited += LOOK_EVERY_MS) {
    if (condition().length === 0) return [];
    await pause(LOOK_EVERY_MS);
  }
  return condition();
}

async function endAll(root: string): Promise<void> {
  for (let left = processesOf(root); left.length > 0; left = processesOf(root)) {
    for (const { pid } of left) kill(pid);
    await pause(LOOK_EVERY_MS);
  }
}

async function removeScratch(root: string): Promise<void> {
  await endAll(root);
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
