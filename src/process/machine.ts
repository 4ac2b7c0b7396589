import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Where a process number means something: this boot of this machine, and this pid namespace of it. */
export type Machine = { boot: string; pidNamespace: string };

let known: Machine | undefined;

/** The machine we run on; undefined when the system does not tell (then nothing can be said about any process). */
export function thisMachine(): Machine | undefined {
  known ??= process.platform === 'linux' ? readLinux() : readMac();
  return known;
}

function readLinux(): Machine | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    // No readable /proc: every question about processes is then answered with 'unknown'.
    return undefined;
  }
}

function readMac(): Machine | undefined {
  const { status, stdout } = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? { boot: stdout.trim(), pidNamespace: 'none' } : undefined;
}
