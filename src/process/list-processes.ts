import { readdirSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { realWorld } from '../world.ts';
import { environmentOf, type ProcessEntry, probeProc } from './proc-stat.ts';
import { listPs } from './ps.ts';

/** All visible processes at one moment. */
export type ProcessListing = {
  entries: readonly ProcessEntry[];
  /** The variables with which a process started, each followed by a zero; read once per listing. */
  environmentOf(entry: ProcessEntry): string;
};

/** Listing some hundred processes takes milliseconds, and many attempts can end within a second: at most a twentieth of the time is used for it. */
const PAUSE_SHARE = 19;
const LONGEST_PAUSE_MS = 500;

let next: Promise<ProcessListing> | undefined;
let pausedUntil = 0;

/** Lists all visible processes; throws if the system does not list them, because "none" would be wrong. */
export function listProcesses(): ProcessListing {
  const entries = process.platform === 'linux' ? listProc() : listPs();
  if (entries === undefined) throw new AppError('UNSUPPORTED_SYSTEM', 'The system does not list its processes');
  const environments = new Map<number, string>();
  return {
    entries,
    environmentOf({ pid }) {
      const environment = environments.get(pid) ?? environmentOf(pid);
      environments.set(pid, environment);
      return environment;
    },
  };
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
