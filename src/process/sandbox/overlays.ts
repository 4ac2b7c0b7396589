import { join } from 'node:path';
import { shellWord } from '../shim.ts';

/**
 * Folders that a sandbox shows copy-on-write: what a program writes there is in memory and gone when it ends. `mounts`: we
 * mount them in a namespace in which bubblewrap starts, below `staging`; `bubblewrap`: it mounts them itself (0.11 or newer).
 */
export type Overlays = { by: 'mounts'; folders: readonly string[]; staging: string } | BubblewrapOverlays;
type BubblewrapOverlays = { by: 'bubblewrap'; folders: readonly string[] };

/** Characters that separate the options of a mount, or the folders in them. */
const SEPARATORS = /[,:\\\n]/;

/** Root mounts at once; another user in a user namespace, whose capabilities bubblewrap must not get. */
const AS_ROOT = ['/usr/bin/unshare', '--mount'];
const AS_USER = ['/usr/bin/unshare', '--user', '--map-current-user', '--keep-caps', '--mount'];
const WITHOUT_CAPABILITIES = ['/usr/bin/setpriv', '--inh-caps=-all', '--ambient-caps=-all'];

/** Whether a folder can be named in the options of a mount. */
export function isMountable(folder: string): boolean {
  return !SEPARATORS.test(folder);
}

/** The mounts of such folders, by their paths, as arguments of bubblewrap. */
export function overlayMounts({ by, folders }: Overlays): [string, string[]][] {
  const option = (path: string) =>
    by === 'mounts' ? ['--bind', path, path] : ['--overlay-src', path, '--tmp-overlay', path];
  return folders.map((path) => [path, option(path)]);
}

/** The command of a sandbox after these folders were mounted for it; it does not start where that fails. */
export function afterMounts(command: readonly string[], overlays: Overlays, bytes: number): string[] {
  if (overlays.by === 'bubblewrap' || overlays.folders.length === 0) return [...command];
  const { folders, staging } = overlays;
  const parts = folders.map((folder, index) => {
    const [upper, work] = [join(staging, `upper-${index}`), join(staging, `work-${index}`)];
    const options = `lowerdir=${folder},upperdir=${upper},workdir=${work},userxattr`;
    return `/bin/mkdir ${shellWord(upper)} ${shellWord(work)} && /bin/mount -t overlay -o ${shellWord(options)} overlay ${shellWord(folder)}`;
  });
  const memory = `/bin/mount -t tmpfs -o size=${bytes},mode=700 tmpfs ${shellWord(staging)}`;
  const script = `${[memory, ...parts].join(' && ')} && exec "$@"`;
  const isRoot = process.getuid?.() === 0;
  const start = isRoot ? AS_ROOT : AS_USER;
  return [
    ...start,
    '--',
    '/bin/sh',
    '-c',
    script,
    'sandbox',
    ...(isRoot ? command : [...WITHOUT_CAPABILITIES, ...command]),
  ];
}
