import { readRemote } from '../git/push/remote.ts';
import type { Repository } from '../git/read/repository.ts';
import type { ForgeName, GitConfig } from '../schema/config/git.ts';
import { parseAddress } from './address.ts';
import { bitbucketForge } from './bitbucket.ts';
import type { Forge, FoundForge, ReachedForge } from './forge.ts';
import { githubForge } from './github.ts';
import { gitlabForge } from './gitlab.ts';

type ReachForge = { repository: Pick<Repository, 'root'>; config: GitConfig; env: NodeJS.ProcessEnv };

export type FindForge = {
  config: Pick<GitConfig, 'provider' | 'repo' | 'remote'>;
  /** The address of the remote, if the repository has it. */
  address: string | undefined;
  env: NodeJS.ProcessEnv;
  timeoutMs?: number;
};

type RepositoryLocation = { host: string; repo: string; env: NodeJS.ProcessEnv; timeoutMs?: number };

const FORGES: Record<ForgeName, (location: RepositoryLocation) => Forge> = {
  github: githubForge,
  gitlab: gitlabForge,
  bitbucket: bitbucketForge,
};
const HOSTS: Record<ForgeName, string> = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' };

/** The forge of a repository: as configured, or from the address of its remote. */
export function findForge({ config, address, env, ...more }: FindForge): FoundForge {
  const { provider, remote } = config;
  if (provider === 'none') return none('git.provider is none', 'set git.provider, or use --land branch');
  if (address === undefined)
    return none(`There is no remote ${remote}`, `add it with git remote add ${remote} <address>, or set git.remote`);
  const parsed = parseAddress(address);
  const name = provider === 'auto' ? detect(parsed?.host) : provider;
  if (name === undefined)
    return none(`The forge of ${address} is unknown`, 'set git.provider to github, gitlab or bitbucket');
  const repo = repoOf(name, { configured: config.repo, path: parsed?.path, env });
  if (repo === undefined)
    return none(`The repository at ${name} cannot be determined from ${address}`, 'set git.repo to owner/name');
  const host = parsed === undefined || parsed.isAlias ? HOSTS[name] : parsed.host;
  if (name === 'bitbucket' && host !== HOSTS.bitbucket && config.repo === undefined)
    return none(
      `${host} is not Bitbucket Cloud, and no other Bitbucket is supported`,
      'set git.repo if it is a mirror of one',
    );
  const because = provider === 'auto' ? `from the remote ${remote} (${address})` : 'by git.provider';
  return { kind: 'found', forge: FORGES[name]({ host: hostFor(name, host), repo, env, ...more }), because };
}

/** The forge's own hosts, and hosts that contain its name. */
function detect(host: string | undefined): ForgeName | undefined {
  if (host === undefined) return undefined;
  if (host === 'github.com' || host === 'ssh.github.com' || host.endsWith('.ghe.com')) return 'github';
  if (host === 'bitbucket.org' || host === 'altssh.bitbucket.org') return 'bitbucket';
  if (host === 'gitlab.com' || host === 'altssh.gitlab.com' || host.split('.').includes('gitlab')) return 'gitlab';
  return undefined;
}

/** Alternative SSH hosts are mapped to the forge's own host. */
function hostFor(name: ForgeName, host: string): string {
  return /^(ssh|altssh)\./.test(host) && host.endsWith(HOSTS[name]) ? HOSTS[name] : host;
}

type RepositorySources = { configured: string | undefined; path: string | undefined; env: NodeJS.ProcessEnv };

/** GitLab has nested groups; the others have an owner and a name. A name alone belongs to the remote's owner. */
function repoOf(name: ForgeName, { configured, path = '', env }: RepositorySources): string | undefined {
  const workspace = name === 'bitbucket' ? env.BITBUCKET_WORKSPACE : undefined;
  const owner = workspace || path.split('/').slice(0, -1).join('/');
  const repo = configured === undefined || configured.includes('/') ? configured : `${owner}/${configured}`;
  const parts = (repo ?? path).split('/');
  const isWhole = name === 'gitlab' ? parts.length >= 2 : parts.length === 2;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return isWhole && isPlain ? parts.join('/') : undefined;
}

function none(reason: string, nextStep: string): FoundForge {
  return { kind: 'none', reason, nextStep };
}

/** The forge of a repository with its remote, found without network access. */
export async function reachForge({ repository, config, env }: ReachForge, signal: AbortSignal): Promise<ReachedForge> {
  const remote = await readRemote(repository, config.remote, signal);
  const found = findForge({ config, address: remote?.address, env });
  if (found.kind === 'none') return found;
  if (remote !== undefined) return { ...found, remote };
  return { kind: 'none', reason: `There is no remote ${config.remote}`, nextStep: 'set git.remote' };
}
