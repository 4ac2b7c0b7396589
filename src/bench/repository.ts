import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { git } from '../git/git.ts';
import type { BenchTask } from './bench-task.ts';

/** Where a benchmark runs: its own repository, and outside of it the program that checks the result. */
export type BenchRepository = { repository: string; check: string };

const IDENTITY = ['-c', 'user.name=Manyhands', '-c', 'user.email=manyhands@localhost', '-c', 'commit.gpgsign=false'];

/** The repository of a task, created on first use; the same task has the same repository, so that its runs can be resumed. */
export async function createBenchRepository(folder: string, task: BenchTask): Promise<BenchRepository> {
  const target = join(folder, `${task.kind}-${nameOf(task)}`);
  if (!existsSync(target)) await create(folder, target, task);
  return { repository: join(target, 'repository'), check: join(target, 'check.mjs') };
}

function nameOf({ files, check }: BenchTask): string {
  const hash = createHash('sha256').update(check);
  for (const [path, content] of Object.entries(files)) hash.update(path).update(content);
  return hash.digest('hex').slice(0, 12);
}

/** Creates it atomically, also if two processes do so concurrently. */
async function create(folder: string, target: string, { files, check }: BenchTask): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(join(folder, '.draft-'));
  try {
    const repository = join(temporary, 'repository');
    await mkdir(repository);
    for (const [path, content] of Object.entries(files)) await writeFile(join(repository, path), content);
    await writeFile(join(temporary, 'check.mjs'), check);
    await git(['init', '--quiet', '--initial-branch=main', repository]);
    await git(['add', '--all'], { cwd: repository });
    await git([...IDENTITY, 'commit', '--quiet', '--no-verify', '--message=Start'], { cwd: repository });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}
