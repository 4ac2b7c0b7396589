import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Repository } from '../read/repository.ts';
import { isOid } from '../refs/refs.ts';
import { remoteEnvironment, type Setting } from './remote-environment.ts';

/** A remote of the user's repository, and how they connect to it. */
export type Remote = {
  name: string;
  url: string;
  pushUrl: string;
  /** The address after all rewriting, without any login in it: for telling the host, and for people. */
  address: string;
  connection: Setting[];
};

/** Why the remote could not be used; `unreachable` may pass by itself. */
export type RemoteRefusal = { kind: 'refused'; reason: 'auth' | 'unreachable' | 'moved' | 'rejected'; detail: string };

const LOOK_MS = 60_000;
/** What a repository's own settings may say about connecting. */
const CONNECTING = '^(http|https|credential|url|ssh|core\\.(sshcommand|askpass|gitproxy))(\\.|$)';

/** The remote of that name, if the repository has it. */
export async function readRemote(
  repository: Pick<Repository, 'root'>,
  name: string,
  signal?: AbortSignal,
): Promise<Remote | undefined> {
  const options = { cwd: repository.root, asUser: true, allow: [0, 1, 2, 128], ...(signal ? { signal } : {}) };
  const look = async (...args: string[]) => (await git(args, options)).stdout;
  const url = (await look('config', '--get', `remote.${name}.url`)).trim();
  if (url === '') return undefined;
  const pushUrl = (await look('config', '--get', `remote.${name}.pushurl`)).trim() || url;
  const address = (await look('remote', 'get-url', '--push', name)).trim() || pushUrl;
  const settings = await look('config', '--local', '--includes', '-z', '--get-regexp', CONNECTING);
  return { name, url, pushUrl, address: withoutLogin(address), connection: parseSettings(settings) };
}

export type RemoteBranch = { kind: 'there'; commit: string } | { kind: 'absent' } | RemoteRefusal;

/** A remote as it is reached from a mirror. */
export type FromMirror = { mirror: { dir: string }; remote: Remote; signal?: AbortSignal };

/** Where a branch stands at the remote now. */
export async function readRemoteBranch(from: FromMirror, branch: string): Promise<RemoteBranch> {
  const { pushUrl } = from.remote;
  const found = await exchange(from, ['ls-remote', pushUrl, `refs/heads/${branch}`], LOOK_MS);
  if (found.kind === 'refused') return found;
  const [commit = ''] = found.stdout.split('\t');
  return isOid(commit) ? { kind: 'there', commit } : { kind: 'absent' };
}

export type Exchanged = { kind: 'said'; code: number; stdout: string; stderr: string } | RemoteRefusal;

/** Runs git in the mirror against the remote, with the user's own logins; what stands in the way is an outcome. */
export async function exchange(
  { mirror, remote, signal }: FromMirror,
  args: readonly string[],
  timeoutMs: number,
): Promise<Exchanged> {
  try {
    const env = remoteEnvironment(remote.connection);
    const options = { gitDir: mirror.dir, asUser: true, env, allow: [0, 1, 128], timeoutMs };
    const { code, stdout, stderr } = await git(args, { ...options, ...(signal ? { signal } : {}) });
    if (code !== 128) return { kind: 'said', code, stdout, stderr };
    return { kind: 'refused', reason: isLogin(stderr) ? 'auth' : 'unreachable', detail: told(stderr, remote) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_TIMEOUT') throw error;
    return { kind: 'refused', reason: 'unreachable', detail: `${remote.address} did not answer in time` };
  }
}

/** What git said, in a few lines and without a login that stands in an address. */
export function told(stderr: string, remote: Remote): string {
  const secret = [remote.url, remote.pushUrl].filter((url) => withoutLogin(url) !== url);
  const plain = secret.reduce((text, url) => text.replaceAll(url, withoutLogin(url)), stderr);
  return plain.trim().split('\n').slice(0, 6).join('\n').slice(0, 1_000);
}

function withoutLogin(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*:[^@/]*@/i, '$1').replace(/^(https?:\/\/)[^@/]*@/i, '$1');
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
