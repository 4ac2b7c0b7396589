import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleepFor } from 'node:timers/promises';

/** Every nondeterministic input, so that a test can replace it. */
export interface World {
  /** Milliseconds since 1970. */
  now(): number;
  /** A new run id of eight characters. */
  runId(): string;
  /** A random, unguessable string. */
  token(): string;
  /** Resolves after the delay, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `ring` at a time, but at the latest an hour from now (the caller then sets it again); returns a function that cancels it. */
  alarm(at: number, ring: () => void): () => void;
}

/** Timers overflow at 24.8 days and clocks jump, so a longer wait is made of several alarms. */
const LONGEST_ALARM_MS = 3_600_000;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export const realWorld: World = {
  now: () => Date.now(),
  runId: () => Array.from(randomBytes(8), (byte) => ALPHABET[byte % 32]).join(''),
  token: () => randomUUID(),
  sleep: async (ms, signal) => {
    await sleepFor(ms, undefined, signal ? { signal } : {});
  },
  alarm: (at, ring) => {
    const timer = setTimeout(ring, Math.min(Math.max(at - Date.now(), 0), LONGEST_ALARM_MS));
    return () => clearTimeout(timer);
  },
};

/** Calls `act` after a delay, unless this process ends before: waiting for it does not keep the process alive. */
export function inBackground(ms: number, act: () => void): void {
  setTimeout(act, ms).unref();
}

let crashTarget: { name: string; hit: number } | undefined;
let crashTrace: string | undefined;
let crashRead = false;
const hits = new Map<string, number>();

/**
 * Marks the point before or after a side effect. With MANYHANDS_CRASH=name:n the process kills itself at the nth pass;
 * with MANYHANDS_CRASH_TRACE=file the name is appended to that file, so that the crash suite can discover the points.
 */
export function crashpoint(name: string): void {
  if (!crashRead) readCrashSettings();
  if (crashTrace !== undefined) appendFileSync(crashTrace, `${name}\n`);
  if (crashTarget?.name !== name) return;
  const hit = (hits.get(name) ?? 0) + 1;
  hits.set(name, hit);
  if (hit === crashTarget.hit) process.kill(process.pid, 'SIGKILL');
}

function readCrashSettings(): void {
  crashRead = true;
  crashTrace = process.env.MANYHANDS_CRASH_TRACE;
  const match = /^(.+):(\d+)$/.exec(process.env.MANYHANDS_CRASH ?? '');
  if (match?.[1] && match[2]) crashTarget = { name: match[1], hit: Number(match[2]) };
}
