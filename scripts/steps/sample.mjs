import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './checkout.mjs';

const IDENTITY = ['-c', 'user.name=Corner Shop', '-c', 'user.email=shop@localhost'];
/** Nobody's templates, hooks, signatures or ignored files belong in the sample. */
const PLAIN = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** A git repository with the sample project in one commit, in a new temporary folder, and a data directory beside it. */
export function makeSample() {
  const folder = mkdtempSync(join(tmpdir(), 'manyhands-demo-'));
  const repository = join(folder, 'shop');
  cpSync(join(ROOT, 'examples/demo/shop'), repository, { recursive: true });
  git(repository, ['init', '--quiet', '--initial-branch=main', '--template=']);
  git(repository, ['add', '--all']);
  git(repository, [...IDENTITY, 'commit', '--quiet', '--message=Open the corner shop']);
  return {
    folder,
    repository,
    env: { ...process.env, MANYHANDS_HOME: process.env.MANYHANDS_HOME || join(folder, 'data') },
  };
}

/** What to try in the sample, as lines to copy; the branch is known only once the run has made it. */
export function lookAround({ folder, repository, env }, { launcher, isInterrupted }) {
  const branch = git(repository, ['for-each-ref', '--format=%(refname:short)', '--count=1', 'refs/heads/mh/']).trim();
  const isOwnHome = process.env.MANYHANDS_HOME === env.MANYHANDS_HOME;
  const shown = branch === '' ? [] : [`git log --graph --oneline ${branch}`];
  return [
    '',
    'Look around; your own repositories were not touched:',
    `  cd ${quote(repository)}`,
    ...(isOwnHome ? [] : [`  export MANYHANDS_HOME=${quote(env.MANYHANDS_HOME)}`]),
    `  alias mh=${quote(quote(launcher))}`,
    ...[...shown, ...(isInterrupted ? ['mh resume'] : []), 'mh show', 'mh logs'].map((command) => `  ${command}`),
    `  rm -r ${quote(folder)}   # when you have seen enough`,
  ];
}

function git(cwd, args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = { cwd, env: { ...env, ...PLAIN }, encoding: 'utf8' };
  const { error, status, stdout, stderr } = spawnSync('git', args, options);
  if (error?.code === 'ENOENT')
    throw new Error('Manyhands needs git 2.39.4 or newer, and there is no git here: install it.');
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
}

function quote(text) {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
