import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir, release } from 'node:os';
import { join } from 'node:path';
import {
  bridgeStart,
  commandAfter,
  PERSONAL_PROXY_VARIABLES,
  PROXY_VARIABLES,
  SOCKET_FOLDER,
} from '../network/bridge.ts';
import { FORWARD_FOLDER, forwardStart } from '../network/forward.ts';
import { afterCopies, originalMounts, privateFolderMounts } from './login-folders.ts';
import { NO_OVERLAYS, overlayMounts, overlaySteps } from './overlays.ts';
import { canMountAsRoot, type MountStep, readOnlySteps } from './own-mounts.ts';
import { kernelFiles, type PrivateFiles, privateFiles } from './private-files.ts';
import type { ContainedProgram, SandboxNetwork, SandboxPaths } from './sandbox.ts';
import { startBubblewrap } from './start-bubblewrap.ts';
import { programFolders, toolchainFolders } from './toolchains.ts';

/** The system: programs, libraries, settings and certificates; nothing in it belongs to a project or, with the exceptions below, is secret. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
  '/snap',
  '/var/lib/gems',
  '/run/systemd/resolve/resolv.conf',
  '/run/systemd/resolve/stub-resolv.conf',
  '/sys/devices/system/cpu',
];
/** Folders with secrets of the system, besides the files in `/etc` that are not for everybody. */
const SECRET_FOLDERS = ['/etc/ssl/private', '/etc/ssh', '/etc/sudoers.d', '/nix/var/nix/daemon-socket'];
/** What the kernel lets root change or read through `/proc` without any capability: one file in it names a program that the kernel starts. */
const KERNEL_SETTINGS = ['sys', 'irq', 'bus', 'fs', 'acpi', 'driver', 'scsi', 'tty', 'asound', 'dynamic_debug'];
const KERNEL_FILES = ['keys', 'timer_list', 'sched_debug', 'latency_stats'];
/** Processes, mounts and identities of its own; the sandbox ends with the shim that started it. */
const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
];
/** The first kernel, 5.17, in which a user's limit of processes works in user namespaces. */
const FIRST_COUNTING = 517;
/** The limit of each private folder, unless another one is given. */
const PRIVATE_BYTES = 2 * 1024 ** 3;

/** The command inside a sandbox that shows the system, the toolchains on its PATH, the program itself and these paths. */
export function bubblewrapCommand(bwrap: string, program: ContainedProgram, paths: SandboxPaths): string[] {
  const { command: plain, cwd, env, programs = [] } = program;
  const copied = paths.copied ?? [];
  const command = afterCopies(plain, copied);
  const home = env.HOME ?? homedir();
  const hidden = [home, homedir(), ...paths.hidden];
  const read = [...toolchainFolders(env, hidden), ...programFolders(programs, hidden), ...paths.read];
  const own = [...paths.read, ...paths.write];
  const mounts = new Map<string, string[]>();
  const runtime = env.XDG_RUNTIME_DIR ?? '';
  for (const path of ['/tmp', '/var/tmp', '/dev/shm', ...(/^\/run\/./.test(runtime) ? [runtime] : []), home])
    if (path !== '/') mounts.set(path, privateFolder(path, paths.privateBytes));
  for (const [path, mount] of privateFolderMounts(copied, (each) => privateFolder(each, paths.privateBytes)))
    mounts.set(path, mount);
  for (const path of read) mounts.set(path, ['--ro-bind', path, path]);
  const overlaid = paths.overlaid ?? NO_OVERLAYS;
  const overlays = new Map(overlayMounts(overlaid));
  for (const [path, mount] of overlays) mounts.set(path, mount);
  const layered = overlaid.folders.filter(({ kept, path }) => kept?.files === path).map(({ path }) => path);
  for (const path of paths.write) if (!layered.includes(path)) mounts.set(path, ['--bind', path, path]);
  for (const path of paths.hidden.flatMap(namesOf))
    if (!mounts.has(path) && isShownIn(mounts, path)) mounts.set(path, privateFolder(path, paths.privateBytes));
  // A folder is mounted before what is in it, which it would cover otherwise.
  const services = shownSockets(mounts, own).flatMap((path) => ['--ro-bind', '/dev/null', path]);
  const sorted = [...mounts]
    .filter(([path]) => isPrivate(mounts, path) || overlays.has(path) || (existsSync(path) && !isWithin(mounts, path)))
    .sort(byDepth);
  const secrets = secretsOfSystem();
  const steps = [
    ...readOnlySteps(bwrap, overlaid.by === 'mounts'),
    ...(canMountAsRoot() ? coverSteps(secrets) : []),
    ...overlaySteps(overlaid, paths.privateBytes ?? PRIVATE_BYTES),
  ];
  return [
    ...startBubblewrap(bwrap, paths.seccomp, steps),
    ...NAMESPACES,
    ...(paths.network === undefined ? [] : ['--unshare-net']),
    // First, because bubblewrap reads the list of all mounts for each one that it makes.
    '--proc',
    '/proc',
    ...(process.getuid?.() === 0 ? kernelMounts() : []),
    ...SYSTEM.flatMap(systemMount),
    ...(canMountAsRoot() ? [] : coverMounts(secrets)),
    '--dev',
    '/dev',
    ...sorted.flatMap(([, mount]) => mount),
    ...services,
    ...originalMounts(copied),
    ...(env.TMPDIR === undefined ? [] : ['--setenv', 'TMPDIR', '/tmp']),
    ...networkArguments(paths.network),
    ...(home === '/' ? [] : ['--remount-ro', '/']),
    '--remount-ro',
    '/dev',
    '--chdir',
    cwd,
    '--',
    ...limited(commandAfter(networkHelpers(paths.network), command), paths.processes),
  ];
}

/** A user's limit of processes, which newer kernels count for each user namespace, so for each sandbox; root has none. */
function limited(command: string[], processes: number | undefined): string[] {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  if (processes === undefined || process.getuid?.() === 0 || major * 100 + minor < FIRST_COUNTING) return command;
  // One shell has this limit as -p, another as -u.
  const script = `{ ulimit -p ${processes} || ulimit -u ${processes}; } 2>/dev/null; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sandbox', ...command];
}

/** The path of a folder, and where links in it lead; none where it does not exist. */
function namesOf(folder: string): string[] {
  return existsSync(folder) ? [...new Set([folder, realpathSync(folder)])] : [];
}

/** The sockets of services that would be visible with the folders of the system and of programs; those in the task's own folders are for it. */
function shownSockets(mounts: ReadonlyMap<string, string[]>, own: readonly string[]): string[] {
  const isOwn = (path: string) => own.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return listeningPaths().filter((path) => isShownIn(mounts, path) && !isOwn(path) && existsSync(path));
}

/** The paths at which services of this machine listen; a sandbox without a network of its own could connect to them too. */
function listeningPaths(): string[] {
  try {
    const table = readFileSync('/proc/net/unix', 'latin1');
    return [...new Set([...table.matchAll(/ (\/[^\n]+)$/gm)].map(([, path = '']) => path))];
  } catch {
    // A system that does not list them.
    return [];
  }
}

/** Whether a path is visible as a part of a folder of the system, or of one that is shown. */
function isShownIn(mounts: ReadonlyMap<string, string[]>, path: string): boolean {
  const around = [...SYSTEM, ...mounts.keys()].filter((each) => path.startsWith(`${each}/`));
  const [nearest] = around.sort((a, b) => b.length - a.length);
  return nearest !== undefined && !isPrivate(mounts, nearest);
}

/** The socket of its proxy, and the variables by which programs find it; without a proxy, none of the machine's. */
function networkArguments(network: SandboxNetwork | undefined): string[] {
  if (network === undefined) return [];
  const served = network.serves === undefined ? [] : ['--ro-bind', network.serves.folder, FORWARD_FOLDER];
  if (network.proxy === undefined)
    return [...served, ...PERSONAL_PROXY_VARIABLES.flatMap((name) => ['--unsetenv', name])];
  const variables = Object.entries(PROXY_VARIABLES).flatMap(([name, value]) => ['--setenv', name, value]);
  return [...served, '--ro-bind', network.proxy, SOCKET_FOLDER, ...variables];
}

function networkHelpers({ proxy, ports = [], serves }: SandboxNetwork = {}): string[][] {
  return [
    ...(proxy === undefined ? [] : [bridgeStart(ports)]),
    ...(serves === undefined ? [] : [forwardStart(serves.port)]),
  ];
}

/** Secrets of the system, and the socket of a service that builds for others. */
function secretsOfSystem(): PrivateFiles {
  const { files, folders } = privateFiles('/etc');
  const covered = [...new Set([...SECRET_FOLDERS.filter((path) => existsSync(path)), ...folders])];
  return { files: files.filter((file) => !covered.some((folder) => file.startsWith(`${folder}/`))), folders: covered };
}

/** They are covered by nothing, in which nothing can be stored. */
function coverMounts({ files, folders }: PrivateFiles): string[] {
  return [
    ...files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...folders.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
  ];
}

function coverSteps({ files, folders }: PrivateFiles): MountStep[] {
  return [
    ...files.map((path): MountStep => ({ kind: 'no-file', path })),
    ...folders.map((path): MountStep => ({ kind: 'no-folder', path })),
  ];
}

function kernelMounts(): string[] {
  const settings = KERNEL_SETTINGS.map((name) => join('/proc', name)).filter((path) => existsSync(path));
  const files = KERNEL_FILES.map((name) => join('/proc', name)).filter((path) => existsSync(path));
  return [
    ...settings.flatMap((path) => ['--ro-bind', path, path]),
    ...[...new Set([...files, ...kernelFiles()])].flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

function privateFolder(path: string, bytes = PRIVATE_BYTES): string[] {
  return ['--size', String(bytes), '--tmpfs', path];
}

function isPrivate(mounts: ReadonlyMap<string, string[]>, path: string): boolean {
  return mounts.get(path)?.includes('--tmpfs') === true;
}

/** Whether a folder is shown read-only with the one around it. */
function isWithin(mounts: ReadonlyMap<string, string[]>, path: string): boolean {
  const isShownAsItIs = (each: string) => mounts.get(each)?.join() === `--ro-bind,${each},${each}`;
  const around = [...mounts.keys()].filter((each) => path.startsWith(`${each}/`));
  const [nearest] = around.sort((a, b) => b.length - a.length);
  return nearest !== undefined && isShownAsItIs(path) && isShownAsItIs(nearest);
}

function byDepth([a]: [string, string[]], [b]: [string, string[]]): number {
  return a.split('/').length - b.split('/').length;
}

function systemMount(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}
