import { readdirSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { realWorld } from '../world.ts';
import { environmentOf, type ProcessEntry, probeProc } from './proc-stat.ts';
import { listPs } from './ps.ts';

/** All visible processes at one moment. */
export type ProcessListing = {
  entries: readonly ProcessEntry[];
  /** Those that started at a time or later with a variable of this value, which has at least 16 characters. */
  holdersOf(value: string, startedSince: number): ReadonlySet<ProcessEntry>;
};

/**
 * Listing some hundred processes takes milliseconds, and many attempts can end within a second: at most a fifth of the
 * time is used for it. Each attempt keeps its slot while it waits for the next listing, so that a longer pause costs more
 * than the listings: with 19 instead of 4, tasks of a few milliseconds took a fifth longer.
 */
const PAUSE_SHARE = 4;
const LONGEST_PAUSE_MS = 500;

const SHORTEST_VALUE = 16;

let next: Promise<ProcessListing> | undefined;
let pausedUntil = 0;

/** Lists all visible processes; throws if the system does not list them, because "none" would be wrong. */
export function listProcesses(): ProcessListing {
  const entries = process.platform === 'linux' ? listProc() : listPs();
  if (entries === undefined) throw new AppError('UNSUPPORTED_SYSTEM', 'The system does not list its processes');
  return { entries, holdersOf: indexByValue(entries) };
}

/** Reads each environment once per listing, and only of processes that started late enough for some request. */
function indexByValue(entries: readonly ProcessEntry[]): ProcessListing['holdersOf'] {
  const none: ReadonlySet<ProcessEntry> = new Set();
  const holders = new Map<string, Set<ProcessEntry>>();
  const unread = entries.filter(({ isEnded }) => !isEnded).sort((a, b) => Number(a.startTime) - Number(b.startTime));
  return (value, startedSince) => {
    for (let last = unread.at(-1); last !== undefined && Number(last.startTime) >= startedSince; last = unread.at(-1)) {
      unread.pop();
      for (const found of longValues(environmentOf(last.pid))) {
        const known = holders.get(found);
        if (known === undefined) holders.set(found, new Set([last]));
        else known.add(last);
      }
    }
    return holders.get(value) ?? none;
  };
}

/** What follows an equals sign, up to the end of its variable. */
function longValues(environment: string): string[] {
  return environment.split('\0').flatMap((variable) => {
    const values: string[] = [];
    for (let at = variable.indexOf('='); at >= 0; at = variable.indexOf('=', at + 1)) {
      if (variable.length - at <= SHORTEST_VALUE) break;
      values.push(variable.slice(at + 1));
    }
    return values;
  });
}

/** A listing that begins after the call: at once, or after a pause since the last one, for all calls until then. */
export function listedAfterNow(): Promise<ProcessListing> {
  next ??= listNext();
  return next;
}

async function listNext(): Promise<ProcessListing> {
  await realWorld.sleep(Math.max(0, pausedUntil - performance.now()));
  next = undefined;
  const start = performance.now();
  const listing = listProcesses();
  const end = performance.now();
  pausedUntil = end + Math.min((end - start) * PAUSE_SHARE, LONGEST_PAUSE_MS);
  return listing;
}

function listProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const found = probeProc(pid);
    return found.kind === 'found' ? [found.entry] : [];
  });
}
