import { AppError } from '../errors.ts';
import { AnsweringProgram, type AnswerReader } from '../process/answering-program.ts';
import { run } from '../process/run.ts';
import { type StreamOptions, stream } from '../process/stream.ts';
import { gitEnvironment, gitProgram } from './environment.ts';
import { gitCommand } from './git.ts';
import type { Mirror } from './mirror/mirror-config.ts';

/** The empty tree, which git knows without storing it. */
const EMPTY_TREES = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

const TIMEOUT_MS = 600_000;
type End = { code: number | null; stderr: string; timedOut: boolean };

/** More is passed on while it is being produced. */
const SMALL_BYTES = 256 * 1024;

/** Streams the output of git in a mirror, without size limit and without attributes; a failure throws at the end. */
export async function* gitStream(
  mirror: Mirror,
  args: readonly string[],
  options: { input?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Buffer, void> {
  const env = { ...gitEnvironment(false), GIT_LITERAL_PATHSPECS: '1', ...withoutAttributes(mirror) };
  const end = yield* outputOf([gitProgram(), `--git-dir=${mirror.dir}`, ...args], {
    env,
    cwd: mirror.dir,
    timeoutMs: TIMEOUT_MS,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const what = `git ${gitCommand(args)}`;
  if (end.timedOut) throw new AppError('GIT_TIMEOUT', `${what} did not end in time in ${mirror.dir}`, { args });
  if (end.code !== 0)
    throw new AppError(
      'GIT_FAILED',
      `${what} ${end.code === null ? 'was killed' : `ended with ${end.code}`} in ${mirror.dir}: ${end.stderr.trim()}`,
      { args },
    );
}

/** Most output is small: it is collected, which the spawner can do; a program that prints more is started again as a stream. */
async function* outputOf(
  command: readonly string[],
  options: StreamOptions & { input?: string },
): AsyncGenerator<Buffer, End> {
  const tooMuch = new AbortController();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > SMALL_BYTES) tooMuch.abort();
  };
  const signals = options.signal === undefined ? [tooMuch.signal] : [tooMuch.signal, options.signal];
  const limited = { ...options, signal: AbortSignal.any(signals), onStdout: count, isRepeatable: true };
  try {
    const { code, stdout, stderr, timedOut } = await run(command, limited);
    if (stdout.length > 0) yield stdout;
    return { code, stderr, timedOut };
  } catch (error) {
    if (!tooMuch.signal.aborted) throw error;
  }
  options.signal?.throwIfAborted();
  return yield* stream(command, options);
}

/** Some git versions read attributes from a bare repository's branch, which could hide changes from a diff. */
export function withoutAttributes(mirror: Mirror): Record<string, string> {
  return { GIT_ATTR_SOURCE: EMPTY_TREES[mirror.objectFormat] };
}

/** One git process for each mirror that answers many requests, because a process for each costs ten times as much. */
export type AnsweringGit<Answer> = (mirror: Pick<Mirror, 'dir'>) => AnsweringProgram<Answer>;

/** The programs of a git command that reads requests; it runs in the same cleared environment as every other one. */
export function answeringGit<Answer>(args: readonly string[], read: AnswerReader<Answer>): AnsweringGit<Answer> {
  const programs = new Map<string, AnsweringProgram<Answer>>();
  return ({ dir }) => {
    const known = programs.get(dir);
    if (known !== undefined) return known;
    const command = [gitProgram(), `--git-dir=${dir}`, ...args];
    const program = new AnsweringProgram({ command, cwd: dir, env: gitEnvironment(false), read });
    programs.set(dir, program);
    return program;
  };
}
