import { readFileSync, statSync } from 'node:fs';
import { shellWord } from '../shim.ts';

/** Root mounts at once; another user in a user namespace, whose capabilities bubblewrap must not get. */
const AS_ROOT = ['/usr/bin/unshare', '--mount'];
const AS_USER = ['/usr/bin/unshare', '--user', '--map-current-user', '--keep-caps', '--mount'];
const WITHOUT_CAPABILITIES = ['/usr/bin/setpriv', '--inh-caps=-all', '--ambient-caps=-all'];
/** The devices of a sandbox are those of the machine. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);
/** `CAP_SYS_ADMIN`, without which root cannot mount. */
const MOUNTING = 1n << 21n;
/** Input from a device is opened again, where that is read-only; a terminal stays. */
const OWN_INPUT = '{ [ ! -c /proc/self/fd/0 ] || [ -t 0 ] || exec </dev/null; }';

/** The command of a sandbox after these steps in a mount namespace of its own; it does not start where one fails. */
export function afterMounts(command: readonly string[], steps: readonly string[]): string[] {
  if (steps.length === 0) return [...command];
  const isRoot = process.getuid?.() === 0;
  const start = [...(isRoot ? AS_ROOT : AS_USER), '--', '/bin/sh', '-c', `${steps.join(' && ')} && exec "$@"`];
  return [...start, 'sandbox', ...(isRoot ? [] : WITHOUT_CAPABILITIES), ...command];
}

/**
 * Makes read-only what a sandbox has open of the machine. Whoever owns a file can change its mode through a process that
 * has it open: so an agent of root could make `/dev/null` unusable for everybody, and one of a user whose own bubblewrap
 * it is could make that unusable, and with it the next sandbox. `canMount`: a user can mount.
 */
export function readOnlySteps(bwrap: string, canMount: boolean): string[] {
  const user = process.getuid?.();
  if (user !== 0) return canMount && statSync(bwrap).uid === user ? [readOnly(bwrap)] : [];
  if (!canRootMount()) return [];
  const mounted = readFileSync('/proc/self/mountinfo', 'latin1');
  const apart = DEVICES.filter((path) => mounted.includes(` ${path} `));
  return [...['/dev', ...apart, bwrap].map(readOnly), OWN_INPUT];
}

function readOnly(path: string): string {
  const word = shellWord(path);
  return `/bin/mount --rbind -o ro ${word} ${word}`;
}

let rootMounts: boolean | undefined;

function canRootMount(): boolean {
  rootMounts ??= (BigInt(`0x${capabilities()}`) & MOUNTING) !== 0n;
  return rootMounts;
}

function capabilities(): string {
  return /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
}
