import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ForgeName } from '../../src/schema/config/git.ts';
import { type RunDocument as Document, RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { type StandIn, standIn } from './stand-ins.ts';

/** A project with a bare remote, and a forge that knows it. */
export interface Shop extends AsyncDisposable {
  readonly scratch: Scratch;
  readonly remote: string;
  readonly forge: StandIn;
  /** Runs `manyhands ... --json`. */
  runJson(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>;
  /** Git at the remote. */
  atRemote(...args: string[]): string;
  /** Pushes a branch with one more file to the remote and opens a pull request of it, as a colleague would. */
  colleague(branch: string, files: Record<string, string>): void;
}

type CommandResult = { code: number | null; stderr: string; json: unknown; run: Document | undefined };

/** Plans two tasks, finds what a file named findings says, mends red checks; a task whose prompt says break fails. */
const AGENT = `#!/bin/sh
prompt=$(cat)
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"a","title":"Do A","description":"a","needs":[]},{"id":"b","title":"Do B","description":"please break","needs":[]}]}'; exit 0 ;;
  review) if [ -e bug.txt ]; then echo '{"findings":[{"severity":"high","title":"There is a bug","description":"Remove bug.txt"}],"summary":"bad"}'; else echo '{"findings":[],"summary":"fine"}'; fi; exit 0 ;;
  fix) rm bug.txt; exit 0 ;;
  repair) echo 'is green' > a.note; exit 0 ;;
esac
name=$(echo "$MANYHANDS_TASK" | tr / -)
echo "$MANYHANDS_TASK" > "$name.txt"
case "$prompt" in *break*) exit 3 ;; esac
echo "did $MANYHANDS_TASK @everybody"
`;

const IDENTITY = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.org'];

/** Makes it; the settings are YAML after those that every project here has. */
export async function makeShop(name: ForgeName, settings = ''): Promise<Shop> {
  const config = [
    'agents:\n  hand: { kind: command, command: ./agent.sh }',
    'smallCalls: { use: rules }',
    'limits: { attempts: 1, retryDelaySeconds: 0 }',
    settings.includes('git:') ? '' : `git: { provider: ${name}, repo: ann/shop }`,
    settings,
  ];
  const scratch = await makeScratch({
    files: { 'base.txt': 'base\n', 'agent.sh': AGENT, '.manyhands/config.yaml': `${config.join('\n')}\n` },
  });
  const remote = join(scratch.root, 'remote.git');
  scratch.git('init', '--quiet', '--bare', '--initial-branch=main', remote);
  scratch.git('remote', 'add', 'origin', remote);
  scratch.git('push', '--quiet', 'origin', 'main');
  const forge = await standIn(name, remote);
  const atRemote = (...args: string[]) =>
    execFileSync('git', ['--git-dir', remote, ...args], { encoding: 'utf8' }).trim();
  return {
    scratch,
    remote,
    forge,
    atRemote,
    runJson: async (args, env = {}) => {
      const { code, stderr, json } = await scratch.mh([...args, '--json'], { env: { ...forge.env, ...env } });
      return { code, stderr, json, run: RunDocument.safeParse(json).data };
    },
    colleague: (branch, files) => {
      pushBranch(scratch, { remote, branch, files });
      forge.change((state) => {
        const number = state.pulls.length + 1;
        const pull = { number, title: 'A change', body: 'Please look', head: branch, base: 'main', draft: false };
        state.pulls.push({ ...pull, state: 'open', approvals: [], comments: [] });
      });
    },
    [Symbol.asyncDispose]: async () => {
      await forge[Symbol.asyncDispose]();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

function pushBranch(
  scratch: Scratch,
  { remote, branch, files }: { remote: string; branch: string; files: Record<string, string> },
): void {
  const clone = join(scratch.root, `clone-${branch.replaceAll('/', '-')}`);
  const git = (...args: string[]) => execFileSync('git', [...IDENTITY, '-C', clone, ...args], { encoding: 'utf8' });
  execFileSync('git', ['clone', '--quiet', remote, clone]);
  git('switch', '--quiet', '--create', branch);
  for (const [path, text] of Object.entries(files))
    execFileSync('sh', ['-c', 'cat > "$0"', join(clone, path)], { input: text });
  git('add', '--all');
  git('commit', '--quiet', '--message=A change');
  git('push', '--quiet', 'origin', branch);
}
