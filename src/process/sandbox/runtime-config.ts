import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { BRIDGE_PORT } from '../network/proxy-target.ts';
import { shellWord } from '../shim.ts';
import type { PrivateFolder } from './login-folders.ts';

/** A program to be contained by the sandbox runtime; without `network` it has that of the machine. */
export type RuntimeSettings = {
  command: string[];
  cwd: string;
  /** The home folder of the person, of which the program sees only what is shown. */
  home: string;
  read: string[];
  write: string[];
  copied: PrivateFolder[];
  network?: { socket?: string; sharesLoopback: boolean };
};

/** What was made for one program: the port that leads to its network session, and its private folders. */
export type RuntimeResources = {
  port: number;
  home: string;
  temporary: string;
  read: string[];
  write: string[];
  /** Whether it runs in a terminal. */
  isAttended: boolean;
};

/** The system: programs, libraries, settings and certificates. */
const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    ...['/usr', '/bin', '/sbin', '/System', '/Library', '/opt', '/nix', '/etc', '/private/etc'],
    ...['/private/var/db/dyld', '/private/var/db/timezone', '/private/var/db/xcode_select_link'],
    ...['/private/var/select', '/Applications/Xcode.app'],
    // Not all of /dev: the terminals of the person are there.
    ...['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/fd', '/dev/dtracehelper'],
  ],
  linux: ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/nix'],
};
/** Parts of it that are secret. */
const SECRETS = ['/Library/Keychains', '/private/etc/ssh', '/private/etc/sudoers', '/private/etc/master.passwd'];
/** Folders that the runtime lets every program write, so that two attempts would share them. */
const SHARED = ['/tmp/claude', '/private/tmp/claude'];
/** Variables of the runtime's own that name what it does not serve here. */
const NOT_SERVED = [
  'GIT_SSH_COMMAND',
  'FTP_PROXY',
  'ftp_proxy',
  'RSYNC_PROXY',
  'DOCKER_HTTP_PROXY',
  'DOCKER_HTTPS_PROXY',
];
/** Variables of ours by which programs find the proxy; the runtime sets the common ones. */
const PROXIED = [
  ...['npm_config_proxy', 'npm_config_https_proxy', 'YARN_HTTP_PROXY', 'YARN_HTTPS_PROXY', 'PIP_PROXY'],
  'CARGO_HTTP_PROXY',
];
const BRIDGE_ADDRESS = `127.0.0.1:${BRIDGE_PORT}`;
const LOOPBACK = 'localhost,127.0.0.1,::1';

/** The configuration of the runtime for one program: nothing is readable or writable, and no host reachable, except what is named. */
export function runtimeConfig(
  { network }: RuntimeSettings,
  { port, home, temporary, read, write, isAttended }: RuntimeResources,
  platform: NodeJS.Platform = process.platform,
): SandboxRuntimeConfig {
  const own = [...write, home, temporary];
  const literal = (path: string) => ({ path, literal: true as const });
  const config = {
    filesystem: {
      denyRead: ['/', ...SECRETS],
      allowRead: [...(SYSTEMS[platform] ?? []), ...read, ...own].map(literal),
      allowWrite: own.map(literal),
      denyWrite: SHARED,
      allowGitConfig: true,
    },
    network: {
      ...(network === undefined ? {} : { allowedDomains: [], httpProxyPort: port, socksProxyPort: port }),
      deniedDomains: [],
      allowLocalBinding: network?.sharesLoopback === true,
      // On Linux only, where the tests run it: its filter of system calls is another program.
      ...(platform === 'linux' ? { allowAllUnixSockets: true } : {}),
    },
    // It opens every terminal of the person, so only a program that a person attends gets it.
    allowPty: isAttended,
  };
  // Without `allowedDomains` it does not restrict the network, which its type does not say.
  return config as SandboxRuntimeConfig;
}

/** The text of the shell that becomes the program: with its private folders, the proxy of its network session, and no other. */
export function runtimeScript(
  { command, cwd, network }: RuntimeSettings,
  { port, home, temporary }: RuntimeResources,
): string {
  const own = [`unset ${NOT_SERVED.join(' ')}`, `export HOME=${shellWord(home)} TMPDIR=${shellWord(temporary)}`];
  const proxied = PROXIED.map((name) => `${name}="$HTTP_PROXY"`).join(' ');
  // A program that may not use the loopback reaches named ports of it through the proxy.
  const direct = network?.sharesLoopback === true ? LOOPBACK : '';
  const proxy = `export NODE_USE_ENV_PROXY=1 NO_PROXY=${direct} no_proxy=${direct} npm_config_noproxy=${direct} ${proxied}`;
  const words = command.map((word) => shellWord(withPort(word, port))).join(' ');
  return [...own, ...(network === undefined ? [] : [proxy]), `cd ${shellWord(cwd)} && exec ${words}`].join('; ');
}

/** Text with the address of a network session, as bubblewrap's sandboxes have it, replaced by the one of this program. */
export function withPort(text: string, port: number): string {
  return text.replaceAll(BRIDGE_ADDRESS, `127.0.0.1:${port}`);
}
