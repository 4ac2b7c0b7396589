import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { messageOf } from '../errors.ts';
import { run } from './run.ts';

/** With this filter only the traced calls stop the program; without it a check takes up to five times as long. */
const OPTIONS = ['-f', '-ff', '--seccomp-bpf', '-q', '-y', '-s', '4096', '-e', 'trace=open,openat,execve,execveat'];
const PROBE_MS = 10_000;
/** `openat(AT_FDCWD</dir>, "a.sh", O_RDONLY) = 3</dir/a.sh>`, `execve("/dir/a.sh", [...]) = 0`. */
const OPENED = /^open(?:at)?\(.*\)\s+= \d+<(\/.*)>$/;
const EXECUTED = /^execve(?:at)?\((?:\S+, )?"((?:[^"\\]|\\.)*)".*\)\s+= 0$/;
const ENDED = /^\+\+\+ (exited with|killed by) /;

/** The same command under the tracer, which writes a file for each process into the folder. */
export async function tracedCommand(command: readonly string[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return ['strace', ...OPTIONS, '-o', join(folder, 'trace'), '--', ...command];
}

/** The files below `root` that the traced processes opened or executed; undefined where the tracer did not see all of them to their end. */
export async function readTrace(folder: string, root: string): Promise<string[] | undefined> {
  const found = new Set<string>();
  const names = (await readdir(folder)).filter((name) => name.startsWith('trace.'));
  for (const name of names) {
    const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n');
    if (!ENDED.test(lines.at(-1) ?? '')) return undefined;
    for (const line of lines) {
      const path = OPENED.exec(line)?.[1] ?? EXECUTED.exec(line)?.[1];
      if (path === undefined) continue;
      const inside = relative(root, resolve(root, path));
      if (inside !== '' && !inside.startsWith('..') && !inside.startsWith('.git/')) found.add(inside);
    }
  }
  return names.length === 0 ? undefined : [...found].sort();
}

/** Why a program cannot be traced here; undefined where it can. */
export async function tracingProblem(env: NodeJS.ProcessEnv, folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has the tracer';
  const trial = join(folder, `tracing-${process.pid}`);
  try {
    const command = await tracedCommand(['true'], trial);
    const { code, stderr } = await run(command, { env: { PATH: env.PATH ?? '' }, timeoutMs: PROBE_MS });
    return code === 0 && (await readTrace(trial, '/')) !== undefined
      ? undefined
      : stderr.trim().slice(0, 200) || 'strace failed';
  } catch (error) {
    return messageOf(error).includes('ENOENT') ? 'strace is not installed' : messageOf(error);
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}
