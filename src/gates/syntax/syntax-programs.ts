import { errorCode } from '../../errors.ts';
import { cleanText } from '../../process/output-text.ts';
import { type RunResult, run } from '../../process/run.ts';
import type { Contain } from '../../process/sandbox/sandbox.ts';
import type { SyntaxIssue } from './syntax-parsers.ts';

/** A copy of a file of the work in our scratch folder. */
export type FileCopy = { path: string; copy: string };
/** The result for a file: correct, wrong, or not checked. */
export type Checked = { path: string; issue?: SyntaxIssue; unchecked?: string };

/** A language's own checker; it reads the file and never runs it. */
type Program = {
  files: RegExp;
  shebang?: RegExp;
  /** The command for one copy, or for all of them at once where `answers` finds each one's answer. */
  command(copies: readonly string[]): string[];
  input?(copies: readonly string[]): string;
  answers?(result: RunResult, copy: string): SyntaxIssue | 'correct' | undefined;
};

type Checking = { env: Record<string, string>; cwd: string; signal: AbortSignal; contain?: Contain | undefined };

const TIMEOUT_MS = 60_000;
/** Exit codes by which programs and shells report a missing program. */
const NOT_THERE = [126, 127];
/** A shell reports it in the same way inside a sandbox. */
const BY_SHELL = ['/bin/sh', '-c', 'exec "$0" "$@"'];
/** A sandbox that did not start says nothing about the file. */
const SANDBOX_FAILED = /^(bwrap|unshare|mount|setpriv): /;

/** Only parses: no code object is made, nothing is imported, no site packages are seen. */
const PYTHON = `
import ast, json, sys, warnings
warnings.simplefilter("ignore")
for path in json.load(sys.stdin):
    answer = {"path": path}
    try:
        with open(path, "rb") as file:
            ast.parse(file.read(), path)
    except SyntaxError as error:
        answer["line"] = error.lineno or 0
        answer["message"] = str(error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        answer["line"] = 0
        answer["message"] = type(error).__name__ + ": " + str(error)
    print(json.dumps(answer), flush=True)
`;

const PROGRAMS: readonly Program[] = [
  {
    files: /\.pyi?$/i,
    shebang: /\bpython3?\b/,
    command: () => ['python3', '-I', '-S', '-c', PYTHON],
    input: (copies) => JSON.stringify(copies),
    answers: pythonAnswer,
  },
  { files: /\.go$/i, command: (copies) => ['gofmt', '-e', '-l', ...copies], answers: gofmtAnswer },
  { files: /\.(rb|rake|gemspec)$/i, shebang: /\bruby\b/, command: ([copy = '']) => ['ruby', '-c', copy] },
  {
    files: /\.php$/i,
    shebang: /\bphp\b/,
    command: ([copy = '']) => ['php', '-n', '-d', 'display_errors=1', '-l', copy],
  },
  { files: /\.(sh|bash)$/i, shebang: /\b(ba|da)?sh\b/, command: ([copy = '']) => ['bash', '--norc', '-n', copy] },
];

/** The checker for a file, by its name, or by its first line when it has no ending. */
export function programFor(path: string, firstLine: string): Program | undefined {
  const hasEnding = /[^/]\.[^/.]+$/.test(path);
  return PROGRAMS.find(
    ({ files, shebang }) =>
      files.test(path) || (!hasEnding && firstLine.startsWith('#!') && shebang?.test(firstLine) === true),
  );
}

/** A checker from the settings: its command with the file's path in it, run by the shell. */
export function customProgram(command: string): Program {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return { files: /(?!)/, command: ([copy = '']) => ['/bin/sh', '-c', command.replaceAll('{file}', quoted(copy))] };
}

/** Checks these files, with one process for all where the checker can do that. */
export async function checkWith(program: Program, files: readonly FileCopy[], checking: Checking): Promise<Checked[]> {
  if (program.answers === undefined || files.length === 1) {
    const checked: Checked[] = [];
    for (const file of files) checked.push(await checkOne(program, file, checking));
    return checked;
  }
  const result = await start(program, files, checking);
  if (typeof result === 'string') return files.map(({ path }) => ({ path, unchecked: result }));
  const { answers } = program;
  const checked: Checked[] = [];
  for (const file of files) {
    const answer = answers(result, file.copy);
    // A file that crashes the checker leaves the others without a result: each is checked alone.
    if (answer === undefined) checked.push(await checkOne(program, file, checking));
    else checked.push(answer === 'correct' ? { path: file.path } : { path: file.path, issue: answer });
  }
  return checked;
}

async function checkOne(program: Program, file: FileCopy, checking: Checking): Promise<Checked> {
  const { path, copy } = file;
  const result = await start(program, [file], checking);
  if (typeof result === 'string') return { path, unchecked: result };
  const answer = program.answers?.(result, copy) ?? (result.code === 0 && !program.answers ? 'correct' : undefined);
  if (answer === 'correct') return { path };
  return { path, issue: answer ?? issueFrom(result, file) };
}

async function start(program: Program, files: readonly FileCopy[], checking: Checking): Promise<RunResult | string> {
  const copies = files.map(({ copy }) => copy);
  const command = program.command(copies);
  const name = command[0] ?? '';
  try {
    const input = program.input?.(copies);
    const { contain, ...where } = checking;
    const options = { ...where, timeoutMs: TIMEOUT_MS, ...(input === undefined ? {} : { input }) };
    const result = await run(contain?.({ ...where, command: [...BY_SHELL, ...command] }) ?? command, options);
    if (contain !== undefined && SANDBOX_FAILED.test(result.stderr)) throw new Error(result.stderr.trim());
    return NOT_THERE.includes(result.code ?? 0) ? `${name} cannot be run here` : result;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return `${name} is not installed`;
    throw error;
  }
}

function issueFrom({ stdout, stderr, code, timedOut }: RunResult, { copy }: FileCopy): SyntaxIssue {
  if (timedOut) return { line: undefined, message: `its checker did not end within ${TIMEOUT_MS / 1000} s` };
  const lines = cleanText(`${stderr}\n${stdout.toString('utf8')}`)
    .replaceAll(copy, '')
    .split('\n');
  const first = lines.map((line) => line.trim()).find((line) => line !== '') ?? `its checker ended with ${code}`;
  const [, line] = /\bline (\d+)|^:(\d+)[:,]/.exec(first)?.filter((part) => part !== undefined) ?? [];
  return { line: line === undefined ? undefined : Number(line), message: first.replace(/^:\s*/, '').slice(0, 300) };
}

function pythonAnswer({ stdout }: RunResult, copy: string): SyntaxIssue | 'correct' | undefined {
  for (const text of stdout.toString('utf8').split('\n')) {
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || !('path' in answer) || answer.path !== copy) continue;
    if (!('message' in answer)) return 'correct';
    const line = 'line' in answer && typeof answer.line === 'number' && answer.line > 0 ? answer.line : undefined;
    return { line, message: String(answer.message) };
  }
  return undefined;
}

function gofmtAnswer({ code, stderr }: RunResult, copy: string): SyntaxIssue | 'correct' | undefined {
  const lines = stderr.split('\n').find((line) => line.startsWith(`${copy}:`));
  if (lines !== undefined) {
    const [line = '', , ...message] = lines.slice(copy.length + 1).split(':');
    return { line: Number(line) || undefined, message: message.join(':').trim() };
  }
  return code === 0 || code === 2 ? 'correct' : undefined;
}
