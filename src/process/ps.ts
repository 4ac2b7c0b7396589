import { spawnSync } from 'node:child_process';
import type { Probe, ProcessEntry } from './proc-stat.ts';

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';
const TIMEOUT_MS = 5_000;

/** Probes one process with `ps`, where there is no /proc (macOS). */
export function probePs(pid: number): Probe {
  const { status, stdout } = callPs(['-o', COLUMNS, '-p', String(pid)]);
  return readPsProbe(pid, status, stdout);
}

/** Lists all processes with `ps`; undefined if it failed. */
export function listPs(): ProcessEntry[] | undefined {
  const { status, stdout } = callPs(['-axo', COLUMNS]);
  return status === 0 ? parsePs(stdout) : undefined;
}

/** Interprets the result of `ps -p`: only exit code 1 without any output means that there is no such process. */
export function readPsProbe(pid: number, status: number | null, stdout: string): Probe {
  const entry = parsePs(stdout).find((candidate) => candidate.pid === pid);
  if (entry !== undefined) return { kind: 'found', entry };
  return status === 1 && stdout.trim() === '' ? { kind: 'none' } : { kind: 'failed' };
}

/** Reads the lines of `ps -o pid=,ppid=,pgid=,stat=,lstart=`; macOS reports no session, so the group is used instead. */
export function parsePs(output: string): ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
    const [, pid, parent, group, state, startTime] = match ?? [];
    if (!pid || !state || !startTime) return [];
    const isEnded = state.startsWith('Z');
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), isEnded, startTime },
    ];
  });
}

function callPs(args: readonly string[]): { status: number | null; stdout: string } {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' };
  return spawnSync('ps', args, { env, encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
}
