import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_FOLDER } from '../support/contained.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { until } from '../support/until.ts';

/** Arguments that start one task whose agent works until the test lets it end. */
export const HELD_JOB = ['job', 'Wait, then write', '--json'];

/** Writes which process it is, leaves half of its work, and waits to be let go before it does the rest. */
const AGENT = `#!/bin/sh
echo "$(readlink /proc/$$/ns/pid) $$" >>"$HOME/${SHARED_FOLDER}/agents"
echo half >work.txt
while [ ! -e "$HOME/${SHARED_FOLDER}/agents-go" ]; do sleep 0.05; done
echo whole >work.txt
echo '{"usage":{"costUsd":0.01}}'
`;
const CHECK = `echo "$(readlink /proc/$$/ns/pid) $$" >>"$HOME/${SHARED_FOLDER}/checks"
while [ ! -e "$HOME/${SHARED_FOLDER}/checks-go" ]; do sleep 0.05; done
`;
const CONFIG = `
checks: ['sh check.sh']
agents: { held: { kind: command, command: ../programs/agent.sh } }
limits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }
`;

type Held = 'agents' | 'checks';

/** A scratch repository whose agents and checks begin, say so, and end only when they are let go. */
export async function makeHeldScene(contained?: boolean): Promise<Scratch> {
  const scratch = await makeScratch({
    contained,
    files: { 'check.sh': CHECK, '.manyhands/config.yaml': CONFIG },
  });
  writeFiles(scratch.root, { 'programs/agent.sh': AGENT });
  return scratch;
}

export function letGo(scratch: Scratch, who: Held): void {
  writeFileSync(join(scratch.root, SHARED_FOLDER, `${who}-go`), '');
}

/** All agents or checks that ever began: the namespace of each process and its number in it, which a sandbox has of its own. */
export function begun(scratch: Scratch, who: Held): string[] {
  const file = join(scratch.root, SHARED_FOLDER, who);
  if (!existsSync(file)) return [];
  // A line that is still being written is not counted.
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/** Waits until so many have begun, and gives all of them. */
export async function untilBegun(scratch: Scratch, who: Held, count: number): Promise<string[]> {
  await until(() => begun(scratch, who).length >= count, `${count} ${who}`);
  return begun(scratch, who);
}

/** Waits until the program has passed a crash point that it traces into the file. */
export async function untilPassed(trace: string, point: string): Promise<void> {
  await until(() => existsSync(trace) && readFileSync(trace, 'utf8').split('\n').includes(point), point);
}

export async function waitForExit(scratch: Scratch, process: string): Promise<void> {
  await until(() => !isAlive(scratch, process), `the end of ${process}`);
}

export function isAlive(scratch: Scratch, process: string): boolean {
  return scratch.alive().some(({ pid }) => innermostNumber(pid) === process);
}

/** A process as it knows itself: in the namespace that it is in. */
function innermostNumber(pid: number): string | undefined {
  try {
    const numbers = /^NSpid:(.*)$/m
      .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      ?.trim()
      .split('\t');
    return `${readlinkSync(`/proc/${pid}/ns/pid`)} ${numbers?.at(-1)}`;
  } catch {
    // It ended since it was listed.
    return undefined;
  }
}
