import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { crashpoint, realWorld, type World } from '../world.ts';
import { readPlainStart } from './files/plain-file.ts';
import { ProcessIdentity } from './identity.ts';
import { type Ending, ending, type LaunchLimits, launch } from './launch.ts';
import { lastLine } from './output-text.ts';
import { type Excess, excessOf, watchResources } from './resource-watch.ts';
import type { Contain } from './sandbox/sandbox.ts';
import { sweep, type Target, terminate } from './terminate.ts';
import { timeLimit } from './time-limit.ts';

export interface Supervised {
  /** Used by this program only; processes that an earlier engine left running in it are ended first. */
  folder: string;
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Puts the command into its sandbox. */
  contain?: Contain | undefined;
  /** What it and everything that it starts may use. */
  limits?: LaunchLimits | undefined;
  timeoutMs: number;
  maxOutputBytes: number;
  signal: AbortSignal;
  /** Receives the last line of output while it runs, at most once per second and only when it changed. */
  onLastLine?: (line: string) => void;
}

export interface SupervisedEnd {
  ending: Ending;
  /** Exit code 0, proven by a secret that the program cannot know; it could write the exit code's file itself. */
  isProvenSuccess: boolean;
  timedOut: boolean;
  /** The limit that it reached; it was ended for it, or some of its processes were. */
  excess?: Excess;
  /** The number of processes it left running, which have been killed. */
  leftoverProcesses: number;
  /** Standard output and standard error, interleaved. */
  outputFile: string;
  /** What copied its output was ended, or found the disk full: it may have failed only for that, and what it reported is not known. */
  isOutputLost?: true;
}

const RECORD = 'check.json';
const PROOF = 'proof';
/**
 * Reads a secret and clears it before the program starts, and writes it back only after exit code 0: until then it is in
 * no file, argument or variable that the program, which runs as the same user, could read.
 */
const WRAPPER = [
  'proof=$1; shift',
  'IFS= read -r secret <"$proof" || exit 125',
  ': >"$proof" || exit 125',
  '"$@" 2>&1',
  'code=$?',
  'if [ "$code" -eq 0 ]; then echo "$secret" >"$proof"; fi',
  'exit "$code"',
].join('\n');
const GRACE_MS = 2_000;
const LAST_LINE_MS = 1_000;
const StartedCheck = z.object({ identity: ProcessIdentity, token: z.string() });

/** Runs a program to its end, its time limit or an abort, which throws; no process that it started outlives the call. */
export async function runSupervised(spec: Supervised, world: World = realWorld): Promise<SupervisedEnd> {
  await endLeftover(spec.folder);
  spec.signal.throwIfAborted();
  const secret = world.token();
  const target = await startRecorded(spec, secret, world);
  using _following = followLastLine(spec, world);
  using limit = timeLimit(spec.timeoutMs, world);
  const stop = AbortSignal.any([spec.signal, limit.signal]);
  const failed = new AbortController();
  let stopping: Promise<void> | undefined;
  const onStop = () => {
    stopping ??= terminate(target, { graceMs: GRACE_MS }).catch((error: unknown) => failed.abort(error));
  };
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  let excess: Excess | undefined;
  using _watch = watchLimits(spec, target, (found) => {
    excess = found;
    onStop();
  });
  try {
    const end = await ending(spec.folder, target.identity, failed.signal);
    const timedOut = limit.signal.aborted;
    crashpoint('check.exited');
    await stopping;
    if (spec.limits !== undefined) excess ??= excessOf(target, spec.limits);
    const leftoverProcesses = await sweep(target);
    spec.signal.throwIfAborted();
    const isProvenSuccess = end.kind === 'exited' && end.code === 0 && readProof(spec.folder) === secret;
    const outputFile = join(spec.folder, 'stdout');
    const isOutputLost = end.lost?.some(({ because }) => because !== 'limit') === true;
    const lost = isOutputLost ? { isOutputLost } : {};
    const ended = { ending: end, isProvenSuccess, timedOut, leftoverProcesses, outputFile, ...lost };
    return excess === undefined ? ended : { ...ended, excess };
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

function watchLimits({ limits, cwd }: Supervised, target: Target, onExcess: (excess: Excess) => void): Disposable {
  if (limits === undefined) return { [Symbol.dispose]: () => {} };
  return watchResources({ target, limits, path: cwd, onExcess });
}

/** Reads the end of the output file each second; the program writes it through a pipe that this process does not hold. */
function followLastLine({ folder, onLastLine }: Supervised, world: World): Disposable {
  if (onLastLine === undefined) return { [Symbol.dispose]: () => {} };
  let last = '';
  let isOver = false;
  let cancelAlarm = () => {};
  const read = async () => {
    // A file that cannot be read has no line to show.
    const line = await lastLine(join(folder, 'stdout')).catch(() => '');
    if (isOver) return;
    if (line !== '' && line !== last) onLastLine(line);
    last = line;
    cancelAlarm = world.alarm(world.now() + LAST_LINE_MS, () => void read());
  };
  cancelAlarm = world.alarm(world.now() + LAST_LINE_MS, () => void read());
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      cancelAlarm();
    },
  };
}

/** Ends the processes that a killed engine started in this folder, and deletes it: a check is run again, never adopted. */
export async function endLeftover(folder: string): Promise<void> {
  const target = readRecord(folder);
  if (target !== undefined) await terminate(target, { graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
}

async function startRecorded(spec: Supervised, secret: string, world: World): Promise<Target> {
  const token = world.token();
  await mkdir(spec.folder, { recursive: true, mode: 0o700 });
  const proof = join(spec.folder, PROOF);
  await writeFile(proof, `${secret}\n`, { mode: 0o600 });
  crashpoint('check.starting');
  const launched = await launch({
    folder: spec.folder,
    command: ['/bin/sh', '-c', WRAPPER, 'check', proof, ...(spec.contain?.(spec) ?? spec.command)],
    cwd: spec.cwd,
    env: { ...spec.env, MANYHANDS_CHECK: token },
    token,
    maxFileBytes: spec.maxOutputBytes,
    pipeOutput: true,
    limits: spec.limits,
  });
  try {
    await writeFile(join(spec.folder, RECORD), JSON.stringify({ identity: launched.identity, token }), { mode: 0o600 });
  } catch (error) {
    await launched.abandon();
    throw error;
  }
  launched.go();
  crashpoint('check.started');
  return { identity: launched.identity, folder: spec.folder, token };
}

function readRecord(folder: string): Target | undefined {
  try {
    const record = StartedCheck.safeParse(JSON.parse(readPlainStart(join(folder, RECORD)) ?? ''));
    return record.success ? { ...record.data, folder } : undefined;
  } catch (error) {
    // After a missing or incomplete record `go` was never called, so nothing was started.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Without the secret in the file there is no success. */
function readProof(folder: string): string | undefined {
  try {
    return readPlainStart(join(folder, PROOF))?.trim();
  } catch {
    return undefined;
  }
}
