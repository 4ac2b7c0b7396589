import { parseAddress } from '../forges/address.ts';
import { git } from '../git/git.ts';
import { readRemote } from '../git/push/remote.ts';
import type { ForgeName } from '../schema/config/git.ts';

/** Where a project is hosted, from the address of its remote; never with a password that stands in it. */
export type FoundForge = {
  remote: string;
  host: string;
  provider: ForgeName | null;
  repo: string;
};

/** What git tells about a project that is being set up. */
export type RepositoryFacts = {
  /** The branch that work should start from and land on; null while there is no commit. */
  base: string | null;
  hasCommits: boolean;
  forge: FoundForge | null;
  /** Those of the asked-for files that are ignored, so that a fresh clone lacks them. */
  ignored: string[];
};

const PROVIDERS = [
  ['github', /(^|\.)github\./],
  ['gitlab', /(^|[.-])gitlab\./],
  ['bitbucket', /(^|\.)bitbucket\./],
] as const;

/** Looks at a repository without writing to it; one without any commit is told about, not refused. */
export async function repositoryFacts(root: string, askIgnored: readonly string[]): Promise<RepositoryFacts> {
  const look = async (args: readonly string[], input?: string) => {
    const options = { cwd: root, asUser: true, allow: [0, 1, 2, 128] };
    const { code, stdout } = await git(args, input === undefined ? options : { ...options, input });
    return code === 0 ? stdout.trim() : '';
  };
  const hasCommits = (await look(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) !== '';
  const remote = await chooseRemote(look);
  const address = remote === undefined ? undefined : (await readRemote({ root }, remote))?.address;
  const ignored = await look(['check-ignore', '-z', '--stdin'], askIgnored.join('\0'));
  return {
    hasCommits,
    base: hasCommits ? await findBase(look, remote) : null,
    forge: remote === undefined || address === undefined ? null : forgeOf(remote, address),
    ignored: ignored.split('\0').filter((path) => path !== ''),
  };
}

type Look = (args: readonly string[]) => Promise<string>;

async function chooseRemote(look: Look): Promise<string | undefined> {
  const remotes = (await look(['remote'])).split('\n').filter((name) => name !== '');
  return remotes.includes('origin') ? 'origin' : remotes[0];
}

/** The default branch of the remote where the user has it too, else the one that is checked out. */
async function findBase(look: Look, remote: string | undefined): Promise<string | null> {
  const current = await look(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (remote !== undefined) {
    const head = await look(['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
    const name = head.startsWith(`${remote}/`) ? head.slice(remote.length + 1) : '';
    if (name !== '' && (await look(['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== '') return name;
  }
  return current === '' ? null : current;
}

function forgeOf(remote: string, address: string): FoundForge | null {
  const found = parseAddress(address);
  if (found === undefined) return null;
  const provider = PROVIDERS.find(([, pattern]) => pattern.test(found.host))?.[0] ?? null;
  return { remote, host: found.host, repo: found.path, provider };
}
