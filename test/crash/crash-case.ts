import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Finished, Scratch } from '../support/scratch.ts';
import { checkInvariants } from './invariants.ts';
import { makeScene } from './scenario.ts';
import { seenCommits } from './seen-commits.ts';

/** The nth pass of a crash point. */
type Crash = { point: string; hit: number };

export type CrashCase = {
  /** What starts the work. */
  args: readonly string[];
  /** How many attempts the work takes when nothing crashes. */
  paid: number;
  crash: Crash;
  /** A second crash, inside the recovery from the first. */
  again?: Crash;
  /** Whether the user asked that their own branch moves. */
  movesBase?: boolean;
  /** Whether everything is in the sandbox; as for the whole suite unless given. */
  contained?: boolean;
};

const Runs = z.array(z.object({ run: z.string(), status: z.string() }));

/** Lets the program die at a crash point, restarts it until it settles, and checks every invariant. */
export async function runCrashCase(request: CrashCase): Promise<void> {
  await using scratch = await makeScene(request.contained);
  const before = await scratch.fingerprint();
  const died = await scratch.mh(request.args, { env: { MANYHANDS_CRASH: textOf(request.crash) } });
  if (request.crash.hit === 1) requireCrash(died, request.crash);
  const seen = seenCommits(scratch);
  if (request.again !== undefined) {
    await scratch.mh(['resume', '--json'], { env: { MANYHANDS_CRASH: textOf(request.again) } });
    for (const oid of seenCommits(scratch)) seen.add(oid);
  }
  await recover(scratch, request.args);
  await checkInvariants(scratch, { before, seen, paid: request.paid, movesBase: request.movesBase ?? false });
}

/** Goes on with what was left; what never got on record is asked for again. */
export async function recover(scratch: Scratch, args: readonly string[]): Promise<void> {
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.code, `${resumed.stderr}${resumed.stdout}`).toBe(0);
  if (Runs.parse(resumed.json).length > 0 || (await scratch.mh(['show', '--json'])).code === 0) return;
  const repeated = await scratch.mh(args);
  expect(repeated.code, `${repeated.stderr}${repeated.stdout}`).toBe(0);
}

/** The crash points that the work passes, each with how often, in the order of their first pass. */
export async function discoverPoints(args: readonly string[]): Promise<Map<string, number>> {
  await using scratch = await makeScene();
  const trace = join(scratch.root, 'trace');
  const { code, stderr } = await scratch.mh(args, { env: { MANYHANDS_CRASH_TRACE: trace } });
  expect(code, stderr).toBe(0);
  const passes = readFileSync(trace, 'utf8').trim().split('\n');
  return new Map([...Map.groupBy(passes, (name) => name)].map(([name, all]) => [name, all.length]));
}

function textOf({ point, hit }: Crash): string {
  return `${point}:${hit}`;
}

function requireCrash(died: Finished, crash: Crash): void {
  expect(died.signal, `${textOf(crash)} was not reached: ${died.stderr}`).toBe('SIGKILL');
}
