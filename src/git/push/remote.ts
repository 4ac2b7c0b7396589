import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Repository } from '../read/repository.ts';
import { isOid } from '../refs/refs.ts';

/** Settings of every remote operation: no hook runs, nothing is signed, no submodule is followed. */
const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['push.gpgSign', 'false'],
  ['push.followTags', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.ext.allow', 'never'],
];

/** The user's variables for credentials, keys and proxies. */
const PASSED =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH|GIT_SSH_COMMAND|GIT_SSH_VARIANT|GIT_ASKPASS|GIT_SSL_CAINFO|GIT_SSL_CAPATH|SSL_CERT_FILE|SSL_CERT_DIR|USER|LOGNAME|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|GH_TOKEN|GH_HOST|GH_CONFIG_DIR|GH_ENTERPRISE_TOKEN|GITHUB_TOKEN|GITHUB_ENTERPRISE_TOKEN|GITLAB_TOKEN|GITLAB_HOST|GLAB_CONFIG_DIR|(?:https?|no|all)_proxy)$/i;

type Setting = readonly [key: string, value: string];

/** A remote of the user's repository, and its connection settings. */
export type Remote = {
  name: string;
  url: string;
  pushUrl: string;
  /** The address after all rewriting, without credentials: to identify the host, and for display. */
  address: string;
  connection: Setting[];
};

/** Why the remote could not be used; `unreachable` may be temporary. */
export type RemoteRefusal = { kind: 'refused'; reason: 'auth' | 'unreachable' | 'moved' | 'rejected'; detail: string };

const READ_TIMEOUT_MS = 60_000;
/** The repository settings that concern connections. */
const CONNECTING = '^(http|https|credential|url|ssh|core\\.(sshcommand|askpass|gitproxy))(\\.|$)';

/** The remote of that name, if the repository has it. */
export async function readRemote(
  repository: Pick<Repository, 'root'>,
  name: string,
  signal?: AbortSignal,
): Promise<Remote | undefined> {
  const options = { cwd: repository.root, asUser: true, allow: [0, 1, 2, 128], ...(signal ? { signal } : {}) };
  const readGit = async (...args: string[]) => (await git(args, options)).stdout;
  const url = (await readGit('config', '--get', `remote.${name}.url`)).trim();
  if (url === '') return undefined;
  const pushUrl = (await readGit('config', '--get', `remote.${name}.pushurl`)).trim() || url;
  const address = (await readGit('remote', 'get-url', '--push', name)).trim() || pushUrl;
  const settings = await readGit('config', '--local', '--includes', '-z', '--get-regexp', CONNECTING);
  return { name, url, pushUrl, address: withoutLogin(address), connection: parseSettings(settings) };
}

export type RemoteBranch = { kind: 'there'; commit: string } | { kind: 'absent' } | RemoteRefusal;

/** A remote that is accessed from a mirror. */
export type FromMirror = {
  mirror: { dir: string };
  remote: Remote;
  signal?: AbortSignal;
  /** Whether what is exchanged has the same effect when it is exchanged twice. */
  isRepeatable?: boolean;
};

/** The current commit of a branch at the remote. */
export async function readRemoteBranch(from: FromMirror, branch: string): Promise<RemoteBranch> {
  const { pushUrl } = from.remote;
  const found = await exchange(from, ['ls-remote', pushUrl, `refs/heads/${branch}`], READ_TIMEOUT_MS);
  if (found.kind === 'refused') return found;
  const [commit = ''] = found.stdout.split('\t');
  return isOid(commit) ? { kind: 'there', commit } : { kind: 'absent' };
}

export type Exchanged = { kind: 'completed'; code: number; stdout: string; stderr: string } | RemoteRefusal;

/** Runs git in the mirror against the remote, with the user's credentials; a refusal is a result, not an error. */
export async function exchange(
  { mirror, remote, signal, isRepeatable = false }: FromMirror,
  args: readonly string[],
  timeoutMs: number,
): Promise<Exchanged> {
  try {
    const env = remoteEnvironment(remote.connection);
    const options = { gitDir: mirror.dir, asUser: true, env, allow: [0, 1, 128], timeoutMs, isRepeatable };
    const { code, stdout, stderr } = await git(args, { ...options, ...(signal ? { signal } : {}) });
    if (code !== 128) return { kind: 'completed', code, stdout, stderr };
    return { kind: 'refused', reason: reasonOf(stderr), detail: describeError(stderr, remote) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_TIMEOUT') throw error;
    return { kind: 'refused', reason: 'unreachable', detail: `${remote.address} did not answer in time` };
  }
}

/** Git's error text, shortened and without credentials from addresses. */
export function describeError(stderr: string, remote: Remote): string {
  const secret = [remote.url, remote.pushUrl].filter((url) => withoutLogin(url) !== url);
  const plain = secret.reduce((text, url) => text.replaceAll(url, withoutLogin(url)), stderr);
  return plain.trim().split('\n').slice(0, 6).join('\n').slice(0, 1_000);
}

function withoutLogin(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*:[^@/]*@/i, '$1').replace(/^(https?:\/\/)[^@/]*@/i, '$1');
}

/** Objects that git's own checks refuse are there, and stay as they are. */
function reasonOf(stderr: string): RemoteRefusal['reason'] {
  if (isLogin(stderr)) return 'auth';
  return /^fatal: fsck error in packed object/m.test(stderr) ? 'rejected' : 'unreachable';
}

function isLogin(stderr: string): boolean {
  return /could not read (Username|Password)|Authentication failed|Permission denied|Invalid username or|terminal prompts disabled|requested URL returned error: (401|403)|Host key verification failed|access denied/i.test(
    stderr,
  );
}

function parseSettings(output: string): Setting[] {
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    });
}

/**
 * The environment of git for the user's remote: their own credentials, without interactive prompts. The caller passes
 * the connection settings of their repository, because git runs in the mirror.
 */
function remoteEnvironment(connection: readonly Setting[]): Record<string, string> {
  const settings = [...connection, ...SETTINGS];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && PASSED.test(name)) env[name] = value;
  }
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return {
    ...env,
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_TERMINAL_PROMPT: '0',
  };
}
