import { statfs } from 'node:fs/promises';
import { AppError, errorCode, fromSystemError } from '../errors.ts';
import { type RunResult, run } from '../process/run.ts';
import { gitEnvironment, gitProgram } from './environment.ts';

export type GitOptions = {
  gitDir?: string;
  workTree?: string;
  cwd?: string;
  indexFile?: string;
  input?: string | Buffer;
  env?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Exit codes that are not errors. */
  allow?: readonly number[];
  /** Also reads the user's global configuration: only for reading, or landing in, the user's repository. */
  asUser?: boolean;
  /** Receives the progress that git reports, such as `Receiving objects: 40% (4/10)`, where its arguments request it. */
  onProgress?: ((line: string) => void) | undefined;
  /** Whether the command, with these arguments, has the same effect and result when it runs twice. */
  isRepeatable?: boolean;
  /** Whether the effect of a command that must not run twice is there, where its end was lost. */
  isDone?: () => Promise<boolean>;
};

export type GitResult = { code: number; stdout: string; stderr: string };

/** Options of git itself whose value is the next argument. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-c', '-C']);
/** Commands that have the same effect and result when they run twice. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'add',
  'cat-file',
  'check-ignore',
  'checkout-index',
  'commit-tree',
  'diff',
  'diff-tree',
  'for-each-ref',
  'grep',
  'hash-object',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'merge-tree',
  'read-tree',
  'rev-list',
  'rev-parse',
  'show-ref',
  'status',
  'update-index',
  'version',
  'write-tree',
]);
const TIMEOUT_MS = 60_000;
/** With less free space than this a failed write is reported as a full disk. */
const FULL_DISK_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Runs git in a cleared environment in which no program configured by a repository can start. */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  options.signal?.throwIfAborted();
  const result = await start(args, options);
  options.signal?.throwIfAborted();
  return checkResult(args, { ...result, isFull: await isDiskFull(result, options) }, options);
}

async function start(args: readonly string[], options: GitOptions): Promise<RunResult> {
  const cwd = options.cwd ?? options.workTree ?? options.gitDir;
  const repository = options.gitDir === undefined ? [] : [`--git-dir=${options.gitDir}`];
  try {
    const result = await run([gitProgram(), ...repository, ...args], {
      env: environmentFor(options),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isRepeatable: isRepeatable(args, options),
      ...(options.isDone === undefined ? {} : { isDone: options.isDone }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(options.input === undefined ? {} : { input: options.input }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onProgress === undefined ? {} : { onStderr: progressReader(options.onProgress) }),
    });
    return options.onProgress === undefined ? result : { ...result, stderr: withoutProgress(result.stderr) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new AppError('GIT_FAILED', missing(cwd), { cwd }, { cause: error });
    throw fromSystemError(error, `running git ${gitCommand(args)}`);
  }
}

function isRepeatable(args: readonly string[], { isDone, onProgress, isRepeatable: isSame }: GitOptions): boolean {
  if (isDone !== undefined || isSame === true) return true;
  // `read-tree --prefix` refuses entries that it has added before.
  const addsBelow = args.some((arg) => arg.startsWith('--prefix'));
  return REPEATABLE.has(gitCommand(args)) && !addsBelow && onProgress === undefined;
}

const PROGRESS = /^(?:remote: )?[A-Z][\w ]+: +\d+% \(\d+\/\d+\)/;

/** Passes on the last progress line of each piece of output. */
function progressReader(onProgress: (line: string) => void): (chunk: Buffer) => void {
  return (chunk) => {
    const line = chunk
      .toString('utf8')
      .split(/[\r\n]+/)
      .findLast((text) => PROGRESS.test(text));
    if (line !== undefined)
      onProgress(
        line
          .replace(/^remote: /, '')
          .replace(/ +/g, ' ')
          .trim(),
      );
  };
}

/** The errors and warnings among what git wrote; progress is not repeated in messages. */
function withoutProgress(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => !PROGRESS.test(line));
  return lines.join('\n');
}

function environmentFor(options: GitOptions): Record<string, string> {
  return {
    ...gitEnvironment(options.asUser ?? false),
    ...(options.workTree === undefined ? {} : { GIT_WORK_TREE: options.workTree }),
    ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    ...options.env,
  };
}

function missing(cwd: string | undefined): string {
  return `git could not be started: the program, or the folder ${cwd ?? '.'}, is missing`;
}

/** Git reports a failed write without the reason. */
async function isDiskFull({ code, stderr }: RunResult, { workTree, gitDir }: GitOptions): Promise<boolean> {
  if (code === 0 || !stderr.includes('unable to write')) return false;
  for (const path of [workTree, gitDir]) {
    // A missing folder is not a full disk.
    const disk = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    if (disk !== undefined && disk.blocks > 0 && disk.bavail * disk.bsize < FULL_DISK_BYTES) return true;
  }
  return false;
}

function checkResult(args: readonly string[], result: RunResult & { isFull: boolean }, options: GitOptions): GitResult {
  const what = `git ${gitCommand(args)}`;
  const where = options.gitDir ?? options.cwd;
  if (result.timedOut) throw new AppError('GIT_TIMEOUT', `${what} did not end in time in ${where}`, { args, where });
  if (result.truncated) throw new AppError('GIT_FAILED', `${what} printed more output than the limit`, { args, where });
  const { code, stderr } = result;
  if (code !== null && (options.allow ?? [0]).includes(code)) {
    return { code, stdout: result.stdout.toString('utf8'), stderr };
  }
  const ending = code === null ? `was killed by ${result.signal}` : `ended with ${code}`;
  const text = `${what} ${ending} in ${where}: ${stderr.trim().slice(0, 2000)}`;
  if (result.isFull) throw new AppError('NO_SPACE', `No space left: ${text}`, { args, where, code, stderr });
  throw new AppError(codeFor(stderr), text, { args, where, code, stderr });
}

/** The command of a call to git, without the options before it. */
export function gitCommand(args: readonly string[]): string {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !WITH_VALUE.has(args[index - 1] ?? ''));
  return args[at] ?? '';
}

function codeFor(stderr: string): 'NO_SPACE' | 'NO_PERMISSION' | 'GIT_FAILED' {
  if (/No space left on device|Disk quota exceeded/i.test(stderr)) return 'NO_SPACE';
  if (/Permission denied|Read-only file system|Operation not permitted/i.test(stderr)) return 'NO_PERMISSION';
  return 'GIT_FAILED';
}
