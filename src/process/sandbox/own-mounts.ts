import { readFileSync, statSync } from 'node:fs';
import { shellWord } from '../shim.ts';

/** What is mounted before bubblewrap starts: a path read-only over itself, nothing over a file or folder, or a file system with its options after these folders were made; `absent`: what is mounted at a path or below it is not there. */
export type MountStep =
  | { kind: 'read-only'; path: string }
  | { kind: 'absent'; path: string }
  | { kind: 'no-file'; path: string }
  | { kind: 'no-folder'; path: string }
  | { kind: 'tmpfs' | 'overlay'; path: string; options: string; folders: readonly string[] };

/** Root mounts at once; another user in a user namespace, whose capabilities bubblewrap must not get. */
const AS_ROOT = ['/usr/bin/unshare', '--mount'];
const AS_USER = ['/usr/bin/unshare', '--user', '--map-current-user', '--keep-caps', '--mount'];
const WITHOUT_CAPABILITIES = ['/usr/bin/setpriv', '--inh-caps=-all', '--ambient-caps=-all'];
/** The devices of a sandbox are those of the machine. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);
/** No sandbox shows it, and bubblewrap reads the list of all mounts for each one that it makes. */
const CGROUPS = '/sys/fs/cgroup';
/** `CAP_SYS_ADMIN`, without which root cannot mount. */
const MOUNTING = 1n << 21n;
/** Input from a device is opened again, where that is read-only; a terminal stays. */
const OWN_INPUT = '{ [ ! -c /proc/self/fd/0 ] || [ -t 0 ] || exec </dev/null; }';

/** The command of a sandbox after these steps in a mount namespace of its own, by programs of the system; it does not start where one fails. */
export function afterMounts(command: readonly string[], steps: readonly MountStep[]): string[] {
  if (steps.length === 0) return [...command];
  const isRoot = process.getuid?.() === 0;
  const commands = [...steps.map(commandOf), ...(isRoot ? [OWN_INPUT] : [])];
  const start = [...(isRoot ? AS_ROOT : AS_USER), '--', '/bin/sh', '-c', `${commands.join(' && ')} && exec "$@"`];
  return [...start, 'sandbox', ...(isRoot ? [] : WITHOUT_CAPABILITIES), ...command];
}

function commandOf(step: MountStep): string {
  const path = shellWord(step.path);
  if (step.kind === 'read-only') return `/bin/mount --rbind -o ro ${path} ${path}`;
  if (step.kind === 'absent') return `/bin/umount -l ${path}`;
  if (step.kind === 'no-file') return `/bin/mount --bind /dev/null ${path}`;
  if (step.kind === 'no-folder') return `/bin/mount -t tmpfs -o ro,mode=755 tmpfs ${path}`;
  const mount = `/bin/mount -t ${step.kind} -o ${shellWord(step.options)} ${step.kind} ${path}`;
  return step.folders.length === 0 ? mount : `/bin/mkdir -p ${step.folders.map(shellWord).join(' ')} && ${mount}`;
}

/**
 * Makes read-only what a sandbox has open of the machine. Whoever owns a file can change its mode through a process that
 * has it open: so an agent of root could make `/dev/null` unusable for everybody, and one of a user whose own bubblewrap
 * it is could make that unusable, and with it the next sandbox. `canMount`: a user can mount.
 */
export function readOnlySteps(bwrap: string, canMount: boolean): MountStep[] {
  const user = process.getuid?.();
  if (user !== 0) return canMount && statSync(bwrap).uid === user ? [readOnly(bwrap)] : [];
  if (!canMountAsRoot()) return [];
  const mounted = readFileSync('/proc/self/mountinfo', 'latin1');
  const apart = DEVICES.filter((path) => mounted.includes(` ${path} `));
  const unused: MountStep[] = mounted.includes(` ${CGROUPS} `) ? [{ kind: 'absent', path: CGROUPS }] : [];
  return [...unused, ...['/dev', ...apart, bwrap].map(readOnly)];
}

function readOnly(path: string): MountStep {
  return { kind: 'read-only', path };
}

let rootMounts: boolean | undefined;

/** Whether we are root and may mount, which takes a fraction of what bubblewrap takes for each mount. */
export function canMountAsRoot(): boolean {
  rootMounts ??= process.getuid?.() === 0 && (BigInt(`0x${capabilities()}`) & MOUNTING) !== 0n;
  return rootMounts;
}

function capabilities(): string {
  return /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
}
