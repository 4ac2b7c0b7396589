import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { git } from '../git/git.ts';
import type { BenchTask } from './bench-task.ts';

/** Where a benchmark is carried out: a repository of its own, and outside it the program that judges. */
export type BenchRepository = { repository: string; check: string };

const IDENTITY = ['-c', 'user.name=Manyhands', '-c', 'user.email=manyhands@localhost', '-c', 'commit.gpgsign=false'];

/** The repository of a task, made on first use; the same task finds the same one again, so that its runs can be resumed. */
export async function createBenchRepository(folder: string, task: BenchTask): Promise<BenchRepository> {
  const place = join(folder, `${task.kind}-${nameOf(task)}`);
  if (!existsSync(place)) await make(folder, place, task);
  return { repository: join(place, 'repository'), check: join(place, 'check.mjs') };
}

function nameOf({ files, check }: BenchTask): string {
  const hash = createHash('sha256').update(check);
  for (const [path, content] of Object.entries(files)) hash.update(path).update(content);
  return hash.digest('hex').slice(0, 12);
}

/** It appears whole or not at all, also where two processes make it at once. */
async function make(folder: string, place: string, { files, check }: BenchTask): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(folder, '.draft-'));
  try {
    const repository = join(draft, 'repository');
    await mkdir(repository);
    for (const [path, content] of Object.entries(files)) await writeFile(join(repository, path), content);
    await writeFile(join(draft, 'check.mjs'), check);
    await git(['init', '--quiet', '--initial-branch=main', repository]);
    await git(['add', '--all'], { cwd: repository });
    await git([...IDENTITY, 'commit', '--quiet', '--no-verify', '--message=Start'], { cwd: repository });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}
