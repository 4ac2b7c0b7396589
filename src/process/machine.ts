import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** The scope in which a pid is valid: this boot of this machine, and this pid namespace. */
export type Machine = { boot: string; pidNamespace: string };

let known: Machine | undefined;

/** The current machine; undefined if the system does not report it (then nothing is known about any process). */
export function thisMachine(): Machine | undefined {
  known ??= process.platform === 'linux' ? readLinux() : readMac();
  return known;
}

function readLinux(): Machine | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    // No readable /proc: the state of every process is then 'unknown'.
    return undefined;
  }
}

function readMac(): Machine | undefined {
  const { status, stdout } = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? { boot: stdout.trim(), pidNamespace: 'none' } : undefined;
}
