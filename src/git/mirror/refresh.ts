import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { withMutex } from '../mutex.ts';
import { readPlainText } from '../plain-file.ts';
import type { Repository } from '../read/repository.ts';
import { isOid, readRefs } from '../refs/refs.ts';
import { type Mirror, requireUnmodified } from './mirror-config.ts';

const REFSPECS = [
  'HEAD:refs/user/HEAD',
  ...['heads', 'tags', 'remotes'].map((kind) => `refs/${kind}/*:refs/user/${kind}/*`),
];
const FETCH_TIMEOUT_MS = 1_800_000;
/** The user may commit during a fetch, but not this often in a row. */
const MAX_FETCHES = 5;

/** Receives what is done to a mirror and, where git reports it, how far it is. */
export type MirrorProgress = (what: string, detail?: string) => void;

/** Fetches the user's commits into the mirror; branches that the user deleted stay reachable under our own refs. */
export async function refreshMirror(
  mirror: Mirror,
  repository: Repository,
  signal?: AbortSignal,
  onProgress?: MirrorProgress,
): Promise<void> {
  await requireUnmodified(mirror);
  await withMutex(`refresh ${mirror.dir}`, () => refresh(mirror, repository, { signal, onProgress }));
}

type Refreshing = { signal: AbortSignal | undefined; onProgress: MirrorProgress | undefined };

async function refresh(mirror: Mirror, repository: Repository, refreshing: Refreshing): Promise<void> {
  const { signal, onProgress } = refreshing;
  onProgress?.('compares the branches with the private mirror');
  await copyExcludes(mirror, repository, signal);
  let stderr = '';
  for (let attempt = 1; attempt <= MAX_FETCHES; attempt++) {
    const [theirs, ours] = await Promise.all([userRefs(repository, signal), readRefs(mirror.dir, 'refs/user')]);
    const missing = [...theirs].filter(([name, oid]) => ours.get(name) !== oid).map(([name]) => name);
    const removed = [...ours].filter(([name]) => !theirs.has(name));
    if (missing.length === 0 && removed.length === 0) return;
    if (attempt === MAX_FETCHES) throw fetchIncomplete(repository, missing, stderr);
    await keepRemoved(mirror, removed);
    if (missing.length > 0) stderr = await fetch(mirror, repository, refreshing);
  }
}

async function userRefs(repository: Repository, signal: AbortSignal | undefined): Promise<Map<string, string>> {
  const options = { cwd: repository.root, asUser: true, ...(signal ? { signal } : {}) };
  const refs = new Map<string, string>();
  for (const line of (await git(['show-ref', '--head'], options)).stdout.split('\n')) {
    const [oid, name] = line.split(' ');
    if (!oid || !name || !isOid(oid)) continue;
    if (name === 'HEAD' || /^refs\/(heads|tags|remotes)\//.test(name))
      refs.set(`refs/user/${name.replace(/^refs\//, '')}`, oid);
  }
  return refs;
}

async function keepRemoved(mirror: Mirror, removed: readonly (readonly [string, string])[]): Promise<void> {
  if (removed.length === 0) return;
  const kept = new Map(removed.map(([, oid]) => [`refs/manyhands/gone/${oid}`, oid]));
  const keep = [...kept].map(([name, oid]) => `update ${name} ${oid}`);
  const remove = removed.map(([name, oid]) => `delete ${name} ${oid}`);
  crashpoint('mirror.retiring');
  await git(['update-ref', '--stdin'], { gitDir: mirror.dir, input: `${[...keep, ''].join('\n')}` });
  await git(['update-ref', '--stdin'], { gitDir: mirror.dir, input: `${[...remove, ''].join('\n')}` });
  crashpoint('mirror.retired');
}

async function fetch(mirror: Mirror, repository: Repository, { signal, onProgress }: Refreshing): Promise<string> {
  const what = 'fetches new commits into the private mirror';
  onProgress?.(what);
  const how = ['--progress', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  const shallow = repository.shallow ? ['--update-shallow'] : [];
  crashpoint('mirror.fetching');
  const { stderr } = await git(
    [
      'fetch',
      ...how,
      ...shallow,
      '--upload-pack',
      otherEnd('upload-pack'),
      repository.root,
      ...REFSPECS.map((spec) => `+${spec}`),
    ],
    {
      gitDir: mirror.dir,
      timeoutMs: FETCH_TIMEOUT_MS,
      allow: [0, 1],
      onProgress: (line) => onProgress?.(what, line),
      ...(signal ? { signal } : {}),
    },
  );
  crashpoint('mirror.fetched');
  return stderr.trim();
}

function fetchIncomplete(repository: Repository, missing: readonly string[], stderr: string): AppError {
  const names = missing.map((name) => name.replace('refs/user/', '')).slice(0, 5);
  const why = repository.shallow ? ' (the repository is shallow: git fetch --unshallow may help)' : '';
  return new AppError('GIT_FAILED', `git did not fetch ${names.join(', ')} from ${repository.root}${why}: ${stderr}`, {
    missing,
  });
}

async function copyExcludes(mirror: Mirror, repository: Repository, signal: AbortSignal | undefined): Promise<void> {
  const options = { cwd: repository.root, asUser: true, allow: [0, 1], ...(signal ? { signal } : {}) };
  const named = (await git(['config', '--type=path', '--get', 'core.excludesFile'], options)).stdout.trim();
  const home = process.env.XDG_CONFIG_HOME || join(process.env.HOME ?? '/nonexistent', '.config');
  const texts = await Promise.all([
    readPlainText(named || join(home, 'git', 'ignore')),
    readPlainText(join(repository.commonDir, 'info', 'exclude')),
  ]);
  const file = join(mirror.dir, 'info', 'exclude');
  const text = `${texts.filter((text) => text !== '').join('\n')}`;
  if ((await readPlainText(file)) === text) return;
  await mkdir(join(mirror.dir, 'info'), { recursive: true });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
