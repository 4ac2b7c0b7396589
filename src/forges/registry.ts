import type { ForgeName, GitConfig } from '../schema/config/git.ts';
import { parseAddress } from './address.ts';
import { bitbucketForge } from './bitbucket.ts';
import type { Forge, FoundForge } from './forge.ts';
import { githubForge } from './github.ts';
import { gitlabForge } from './gitlab.ts';

export type FindForge = {
  config: Pick<GitConfig, 'provider' | 'repo' | 'remote'>;
  /** The address of the remote, if the repository has it. */
  address: string | undefined;
  env: NodeJS.ProcessEnv;
  timeoutMs?: number;
};

type Place = { host: string; repo: string; env: NodeJS.ProcessEnv; timeoutMs?: number };

const FORGES: Record<ForgeName, (place: Place) => Forge> = {
  github: githubForge,
  gitlab: gitlabForge,
  bitbucket: bitbucketForge,
};
const HOSTS: Record<ForgeName, string> = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' };

/** The forge of a repository: as configured, or as the address of its remote tells. */
export function findForge({ config, address, env, ...more }: FindForge): FoundForge {
  const { provider, remote } = config;
  if (provider === 'none') return none('git.provider is none', 'set git.provider, or use --land branch');
  if (address === undefined)
    return none(`There is no remote ${remote}`, `add it with git remote add ${remote} <address>, or set git.remote`);
  const parsed = parseAddress(address);
  const name = provider === 'auto' ? detect(parsed?.host) : provider;
  if (name === undefined)
    return none(`${address} tells nothing about its host`, 'set git.provider to github, gitlab or bitbucket');
  const repo = repoOf(name, { configured: config.repo, path: parsed?.path, env });
  if (repo === undefined)
    return none(`The repository at ${name} is not known from ${address}`, 'set git.repo to owner/name');
  const host = parsed === undefined || parsed.isAlias ? HOSTS[name] : parsed.host;
  if (name === 'bitbucket' && host !== HOSTS.bitbucket && config.repo === undefined)
    return none(
      `${host} is not Bitbucket Cloud, and no other Bitbucket is known`,
      'set git.repo if it is a mirror of one',
    );
  const because = provider === 'auto' ? `from the remote ${remote} (${address})` : 'by git.provider';
  return { kind: 'found', forge: FORGES[name]({ host: hostFor(name, host), repo, env, ...more }), because };
}

/** The maker's own hosts, and hosts that carry its name. */
function detect(host: string | undefined): ForgeName | undefined {
  if (host === undefined) return undefined;
  if (host === 'github.com' || host === 'ssh.github.com' || host.endsWith('.ghe.com')) return 'github';
  if (host === 'bitbucket.org' || host === 'altssh.bitbucket.org') return 'bitbucket';
  if (host === 'gitlab.com' || host === 'altssh.gitlab.com' || host.split('.').includes('gitlab')) return 'gitlab';
  return undefined;
}

/** Hosts that only carry git by another port stand for the forge itself. */
function hostFor(name: ForgeName, host: string): string {
  return /^(ssh|altssh)\./.test(host) && host.endsWith(HOSTS[name]) ? HOSTS[name] : host;
}

type Told = { configured: string | undefined; path: string | undefined; env: NodeJS.ProcessEnv };

/** GitLab has groups in groups; the others have an owner and a name. A name alone is one of the remote's own owner. */
function repoOf(name: ForgeName, { configured, path = '', env }: Told): string | undefined {
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
