import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

/** Arguments that start one task whose agent works until the test lets it end. */
export const HELD_JOB = ['job', 'Wait, then write', '--json'];

/** Writes its process number, leaves half of its work, and waits to be let go before it does the rest. */
const AGENT = `#!/bin/sh
echo $$ >>"$HOME/agents"
echo half >work.txt
while [ ! -e "$HOME/agents-go" ]; do sleep 0.05; done
echo whole >work.txt
echo '{"usage":{"costUsd":0.01}}'
`;
const CHECK = `echo $$ >>"$HOME/checks"
while [ ! -e "$HOME/checks-go" ]; do sleep 0.05; done
`;
const CONFIG = `
checks: ['sh check.sh']
agents: { held: { kind: command, command: ../agent.sh } }
limits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }
`;
const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 20;

type Held = 'agents' | 'checks';

/** A scratch repository whose agents and checks begin, say so, and end only when they are let go. */
export async function makeHeldScene(): Promise<Scratch> {
  const scratch = await makeScratch({ files: { 'check.sh': CHECK, '.manyhands/config.yaml': CONFIG } });
  writeFiles(scratch.root, { 'agent.sh': AGENT });
  return scratch;
}

export function letGo(scratch: Scratch, who: Held): void {
  writeFileSync(join(scratch.root, `${who}-go`), '');
}

/** The process numbers of all agents or checks that ever began. */
export function begun(scratch: Scratch, who: Held): number[] {
  const file = join(scratch.root, who);
  if (!existsSync(file)) return [];
  // A line that is still being written is not counted.
  return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number);
}

/** Waits until so many have begun, and gives their process numbers. */
export async function untilBegun(scratch: Scratch, who: Held, count: number): Promise<number[]> {
  await until(() => begun(scratch, who).length >= count, `${count} ${who}`);
  return begun(scratch, who);
}

/** Waits until the program has passed a crash point that it traces into the file. */
export async function untilPassed(trace: string, point: string): Promise<void> {
  await until(() => existsSync(trace) && readFileSync(trace, 'utf8').split('\n').includes(point), point);
}

export async function waitForExit(scratch: Scratch, pid: number): Promise<void> {
  await until(() => !isAlive(scratch, pid), `the end of ${pid}`);
}

export function isAlive(scratch: Scratch, pid: number): boolean {
  return scratch.alive().some((left) => left.pid === pid);
}

/** Other processes can only be looked at; the wait is bounded. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !holds(); waited += LOOK_EVERY_MS) {
    if (waited > LONGEST_WAIT_MS) throw new Error(`Waited in vain for ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}
