import { parseAddress } from '../forges/address.ts';
import { git } from '../git/git.ts';
import { readRemote } from '../git/push/remote.ts';
import type { ForgeName } from '../schema/config/git.ts';

/** Where a project is hosted, from the address of its remote; never with a password in it. */
export type FoundForge = {
  remote: string;
  host: string;
  provider: ForgeName | null;
  repo: string;
};

/** What git knows about a project that is being set up. */
export type RepositoryFacts = {
  /** The branch that work should start from and land on; null while there is no commit. */
  base: string | null;
  hasCommits: boolean;
  forge: FoundForge | null;
  /** Those of the given files that are ignored, so that a fresh clone lacks them. */
  ignored: string[];
};

const PROVIDERS = [
  ['github', /(^|\.)github\./],
  ['gitlab', /(^|[.-])gitlab\./],
  ['bitbucket', /(^|\.)bitbucket\./],
] as const;

/** Inspects a repository without writing to it; one without any commit is reported, not refused. */
export async function repositoryFacts(root: string, askIgnored: readonly string[]): Promise<RepositoryFacts> {
  const query = async (args: readonly string[], input?: string) => {
    const options = { cwd: root, asUser: true, allow: [0, 1, 2, 128] };
    const { code, stdout } = await git(args, input === undefined ? options : { ...options, input });
    return code === 0 ? stdout.trim() : '';
  };
  const hasCommits = (await query(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) !== '';
  const remote = await chooseRemote(query);
  const address = remote === undefined ? undefined : (await readRemote({ root }, remote))?.address;
  const ignored = await query(['check-ignore', '-z', '--stdin'], askIgnored.join('\0'));
  return {
    hasCommits,
    base: hasCommits ? await findBase(query, remote) : null,
    forge: remote === undefined || address === undefined ? null : forgeOf(remote, address),
    ignored: ignored.split('\0').filter((path) => path !== ''),
  };
}

/** The lockfiles that a fresh clone has: those in the index. */
export async function trackedLockfiles(root: string): Promise<ReadonlySet<string>> {
  const args = ['ls-files', '-z', '--', ':(glob)**/*lock*', ':(glob)**/npm-shrinkwrap.json'];
  const { stdout } = await git(args, { cwd: root, asUser: true, allow: [0, 128] });
  return new Set(stdout.split('\0').filter((path) => path !== ''));
}

type GitQuery = (args: readonly string[]) => Promise<string>;

async function chooseRemote(query: GitQuery): Promise<string | undefined> {
  const remotes = (await query(['remote'])).split('\n').filter((name) => name !== '');
  return remotes.includes('origin') ? 'origin' : remotes[0];
}

/** The default branch of the remote where the user has it too, else the one that is checked out. */
async function findBase(query: GitQuery, remote: string | undefined): Promise<string | null> {
  const current = await query(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (remote !== undefined) {
    const head = await query(['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
    const name = head.startsWith(`${remote}/`) ? head.slice(remote.length + 1) : '';
    if (name !== '' && (await query(['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== '') return name;
  }
  return current === '' ? null : current;
}

function forgeOf(remote: string, address: string): FoundForge | null {
  const found = parseAddress(address);
  if (found === undefined) return null;
  const provider = PROVIDERS.find(([, pattern]) => pattern.test(found.host))?.[0] ?? null;
  return { remote, host: found.host, repo: found.path, provider };
}
