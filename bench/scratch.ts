import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../src/process/run.ts';

/** A temporary folder that disposing removes. */
export type Scratch = AsyncDisposable & { path: string };

/** No user settings, templates or hooks affect the measurement. */
export const PLAIN_ENVIRONMENT: Record<string, string> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
  LC_ALL: 'C',
};

/** Thousands of tasks take many minutes on a busy machine. */
const LONGEST_MS = 3_600_000;

/** Creates a temporary folder. */
export async function makeScratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'manyhands-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A tool's environment, the exit codes that are not errors, and a listener for its stderr. */
export type ToolOptions = {
  env?: Record<string, string>;
  allow?: readonly number[];
  onError?: (text: string) => void;
};

/** Runs a program to its end and returns its output; any exit code that is not allowed is an error. */
export async function runTool(command: readonly string[], cwd: string, options: ToolOptions = {}): Promise<string> {
  const { env = PLAIN_ENVIRONMENT, allow = [0] } = options;
  const result = await run(command, { cwd, env, timeoutMs: LONGEST_MS });
  options.onError?.(result.stderr);
  if (result.code !== null && allow.includes(result.code)) return result.stdout.toString('utf8');
  throw new Error(`${command.slice(0, 4).join(' ')} ended with ${result.code}: ${result.stderr.slice(-2000)}`);
}

/** The folders over which the files of a repository are spread. */
export const FOLDERS = 20;

/** The path of one of the files of a repository, by its number from 0. */
export function sourceFile(index: number): string {
  return `src/part-${index % FOLDERS}/file-${index}.txt`;
}

/** Creates a git repository with so many small files in one commit. */
export async function makeRepository(path: string, files: number): Promise<void> {
  for (let index = 0; index < files; index += 1) {
    const file = join(path, sourceFile(index));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `File ${index}\n${'Some text that takes up a line.\n'.repeat(20)}`);
  }
  await runTool(['git', 'init', '--quiet', '--initial-branch=main', '--template='], path);
  await runTool(['git', 'add', '--all'], path);
  await runTool(['git', 'commit', '--quiet', '--message=Begin'], path);
}

/** Writes installed dependencies of this size into a folder. */
export async function writeDependencies(
  folder: string,
  size: { files: number; fileBytes: number; packages: number },
): Promise<void> {
  const content = Buffer.alloc(size.fileBytes, 'a line of a dependency\n');
  for (let index = 0; index < size.files; index += 1) {
    const file = join(folder, `package-${index % size.packages}`, 'lib', `file-${index}.js`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
