import { readdirSync, readFileSync } from 'node:fs';
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

/** For so long after a whole listing only younger processes are read: the numbers of ended ones are not used again so soon. */
const REUSED_MS = 250;
/** In the line of the load: the number that was given to a process last. */
const LAST_PID = /(\d+)\n?$/;

/** A listing for which all processes were read, when it began, and the number that was given to a process last by then. */
type WholeListing = { entries: ReadonlyMap<number, ProcessEntry>; at: number; lastPid: number };

let whole: WholeListing | undefined;

let next: Promise<ProcessListing> | undefined;
let pausedUntil = 0;

/** Lists all visible processes; throws if the system does not list them, because "none" would be wrong. */
export function listProcesses(): ProcessListing {
  return listingOf(process.platform === 'linux' ? listProc() : listPs());
}

function listingOf(entries: readonly ProcessEntry[] | undefined): ProcessListing {
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

/**
 * A listing that begins after the call: at once, or after a pause since the last one, for all calls until then. What it says
 * about a process may be a moment older: that has ended since, or has another parent.
 */
export function listedAfterNow(): Promise<ProcessListing> {
  next ??= listNext();
  return next;
}

async function listNext(): Promise<ProcessListing> {
  await realWorld.sleep(Math.max(0, pausedUntil - performance.now()));
  next = undefined;
  const start = performance.now();
  const listing = listingOf(process.platform === 'linux' ? listProcAgain(start) : listPs());
  const end = performance.now();
  pausedUntil = end + Math.min((end - start) * PAUSE_SHARE, LONGEST_PAUSE_MS);
  return listing;
}

function listProc(known: ReadonlyMap<number, ProcessEntry> = new Map()): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const same = known.get(pid);
    if (same !== undefined) return [same];
    const found = probeProc(pid);
    return found.kind === 'found' ? [found.entry] : [];
  });
}

/** Most processes were there a moment ago, when another attempt ended; reading each again takes most of the time of a listing. */
function listProcAgain(now: number): ProcessEntry[] {
  const lastPid = readLastPid();
  if (whole !== undefined && now - whole.at < REUSED_MS && lastPid >= whole.lastPid) return listProc(whole.entries);
  const entries = listProc();
  // One that started during the listing may have got the number of one that is in it.
  const older = entries.filter(({ pid, isEnded }) => pid <= lastPid && !isEnded);
  whole = { entries: new Map(older.map((entry) => [entry.pid, entry])), at: now, lastPid };
  return entries;
}

/** Zero where the system does not say it: then every listing is a whole one. */
function readLastPid(): number {
  try {
    return Number(LAST_PID.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
