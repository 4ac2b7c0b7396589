import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { errorCode } from '../errors.ts';

/** One process as the system lists it; `startTime` distinguishes it from a later one with the same pid. */
export type ProcessEntry = {
  pid: number;
  parent: number;
  group: number;
  session: number;
  isEnded: boolean;
  /** It runs no program any more, and has not ended yet. */
  isEnding?: boolean;
  startTime: string;
};

/** The result of probing one pid: a process, definitely none, or no answer. */
export type Probe = { kind: 'found'; entry: ProcessEntry } | { kind: 'none' } | { kind: 'failed' };

/** Zombies and dying processes accept signals but no longer run. */
const ENDED_STATES = 'ZXx';
/** A flag of the kernel: the first thread is at its end. */
const EXITING = 0x4;

/** A line of stat has some 300 bytes; all processes are probed after each attempt, so the buffer is reused. */
const buffer = Buffer.alloc(4096);

/** Probes one process through Linux's /proc. */
export function probeProc(pid: number): Probe {
  try {
    const entry = parseProcStat(readShort(`/proc/${pid}/stat`));
    return entry === undefined ? { kind: 'failed' } : { kind: 'found', entry };
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ESRCH' ? { kind: 'none' } : { kind: 'failed' };
  }
}

/** The processes that a process started and did not wait for yet; undefined where the system does not list them. */
export function childrenOf(pid: number): ProcessEntry[] | undefined {
  try {
    const pids = readShort(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
    return pids.map(probeProc).flatMap((found) => (found.kind === 'found' ? [found.entry] : []));
  } catch {
    // No Linux, a kernel without this file, or the process is gone.
    return undefined;
  }
}

/** Reads a line of /proc/<pid>/stat; the program's name in it may contain spaces and brackets. A program whose first thread alone has ended still runs, although the kernel shows it as a zombie. */
export function parseProcStat(text: string): ProcessEntry | undefined {
  const nameEnd = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  const [state, parent, group, session, ...rest] = text.slice(nameEnd + 2).split(' ');
  const [flags, threads, startTime] = [Number(rest[2]), Number(rest[13]), rest[15]];
  if (nameEnd < 0 || !Number.isInteger(pid) || !state || !startTime) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isEnded: ENDED_STATES.includes(state) && threads <= 1,
    ...((flags & EXITING) !== 0 && threads <= 1 ? { isEnding: true } : {}),
    startTime,
  };
}

function readShort(path: string): string {
  const fd = openSync(path, 'r');
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** The variables with which a process started, each followed by a zero; empty where it has ended or belongs to another user. */
export function environmentOf(pid: number): string {
  const own = readIfAllowed(`/proc/${pid}/environ`);
  if (own !== '') return own;
  // Where its first thread has ended, another one shows them.
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    const found = readIfAllowed(`/proc/${pid}/task/${thread}/environ`);
    if (found !== '') return found;
  }
  return '';
}

function readIfAllowed(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It has ended, belongs to another user, or the system has no /proc.
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It has ended since it was listed.
    return [];
  }
}

/** Whether another process works in a folder or holds a file of it open; undefined where the system does not show it. */
export function isFolderInUse(folder: string): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
  try {
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    return others.some((pid) => pathsOf(`/proc/${pid}`).some(isBelow));
  } catch {
    // Without a readable /proc nothing is known.
    return undefined;
  }
}

/** Whether a running process sees a folder through a mount, such as a layer of an overlay; what cannot be read counts as not. */
export function isMountedAnywhere(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  const named = folder.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const isNamed = (proc: string) => {
    try {
      return readFileSync(`${proc}/mountinfo`, 'utf8').includes(named);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  };
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isNamed(`/proc/${name}`));
}

/** The folders and files that a process uses; none for one that has ended or belongs to another user. */
function pathsOf(proc: string): string[] {
  try {
    const links = ['cwd', 'root', ...readdirSync(`${proc}/fd`).map((name) => `fd/${name}`)];
    const mapped = readFileSync(`${proc}/maps`, 'utf8').matchAll(/ (\/.*)$/gm);
    return [...links.flatMap((name) => linkTarget(`${proc}/${name}`)), ...[...mapped].map(([, path = '']) => path)];
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

function linkTarget(link: string): string[] {
  try {
    return [readlinkSync(link)];
  } catch {
    // The descriptor was closed, or the process ended, since it was listed.
    return [];
  }
}
