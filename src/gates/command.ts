import { access, constants, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { delimiter, join } from 'node:path';
import { messageOf } from '../errors.ts';
import { openPlainHandle } from '../process/files/plain-file.ts';
import { countLines, MOST_OUTPUT_BYTES, outputText } from '../process/output-text.ts';
import { runSupervised, type SupervisedEnd } from '../process/supervised.ts';
import type { GateSpec, TestResults, Verdict } from '../schema/gate.ts';
import { realWorld } from '../world.ts';
import { failedSetup, type Gate, type GateCheckout, type GateInput, type GateResult } from './gate.ts';
import { shellText } from './gate-kinds.ts';
import { readLongResults } from './test-results/read-test-results.ts';

type CommandSpec = Extract<GateSpec, { gate: 'command' }>;

/** Of longer output the first and the last part are searched for the results of tests. */
const SEARCHED_BYTES = 8 * 1024 * 1024;
/** Where a check keeps installed or compiled files, which are no reports. */
const NO_REPORTS = new Set(['.git', 'node_modules', '.venv', 'venv', 'vendor', 'deps', 'obj']);
const REPORT_DEPTH = 6;
const REPORT_FOLDERS = 5_000;
const REPORT_FILES = 500;
const REPORT_BYTES = 16 * 1024 * 1024;
const ALL_REPORT_BYTES = 64 * 1024 * 1024;
/** File systems keep times a few milliseconds behind the clock. */
const CLOCK_LAG_MS = 10;
/** With less free space than this, a program cannot be expected to write its output. */
const FULL_DISK_BYTES = 1024 * 1024;
/** Tests that a summary names. */
const MOST_NAMES = 5;
const SIGNAL_NAMES = new Map(Object.entries(system.signals).map(([name, number]) => [128 + number, name]));

/** Passes by exit code 0 of a process that we started in a clean checkout, unless a test runner in it reports failures. */
export const commandGate: Gate<CommandSpec> = {
  name: 'command',
  async check(spec, input) {
    const missing = await missingProgram(spec.run, input.env);
    if (missing !== undefined) return couldNotRun(spec, missing, '');
    let setup = '';
    try {
      await using checkout = await input.checkout();
      setup = checkout.setup;
      return await checkIn(checkout, spec, input);
    } catch (error) {
      input.signal.throwIfAborted();
      return { ...couldNotRun(spec, messageOf(error), setup), ...failedSetup(error) };
    }
  },
};

async function checkIn(checkout: GateCheckout, spec: CommandSpec, input: GateInput): Promise<GateResult> {
  const startedAt = realWorld.now();
  input.onRunning?.();
  const end = await runSupervised({
    folder: input.folder,
    command: typeof spec.run === 'string' ? ['/bin/sh', '-c', spec.run] : spec.run,
    cwd: checkout.path,
    env: input.env,
    contain: input.contain,
    limits: input.limits,
    timeoutMs: spec.timeoutMs,
    maxOutputBytes: MOST_OUTPUT_BYTES,
    signal: input.signal,
    onLastLine: (line) => input.onRunning?.(line),
  });
  const durationMs = Math.max(0, realWorld.now() - startedAt);
  const isFull = await isDiskFull([input.folder, checkout.path]);
  const exitCode = end.ending.kind === 'exited' && !end.timedOut ? end.ending.code : null;
  const { outputFile } = end;
  const output = await outputText(outputFile);
  const outputLines = await countLines(outputFile);
  const { results: tests, tests: testList } = await readLongResults(
    await searchedText(outputFile),
    await findReportFiles(checkout.path, startedAt),
  );
  const recorded = { command: shellText(spec), output, outputLines, outputFile, tests, testList };
  return { ...judge(spec, end, { isFull, tests }), exitCode, setup: checkout.setup, durationMs, ...recorded };
}

function judge(
  spec: CommandSpec,
  end: SupervisedEnd,
  { isFull, tests }: { isFull: boolean; tests: TestResults },
): { verdict: Verdict; summary: string } {
  const judged = (verdict: Verdict, what: string) => ({ verdict, summary: `${spec.name} ${what}${leftovers(end)}` });
  if (end.timedOut) return judged('fail', `did not end within ${spec.timeoutMs / 1000} s and was ended`);
  if (end.isOutputLost === true && end.excess === undefined) {
    const why = isFull ? 'the disk is full' : 'what stores its output was ended';
    return judged('error', `could not run to its end: ${why}`);
  }
  if (end.isProvenSuccess && tests.failed > 0) return judged('fail', `exited with 0 but reported ${failedText(tests)}`);
  if (end.isProvenSuccess) return judged('pass', `passed${countText(tests)}`);
  if (end.excess?.resource === 'disk' || end.excess?.resource === 'files')
    return judged('error', `${end.excess.text} and was ended`);
  if (end.excess !== undefined) return judged('fail', end.excess.text);
  if (isFull) return judged('error', 'could not run to its end: the disk is full');
  if (end.ending.kind === 'interrupted') return judged('error', 'was ended from outside before it had a result');
  if (end.ending.code === 0) return judged('error', 'left an exit code of 0 that is not its own');
  return judged('fail', `failed with exit code ${end.ending.code}${meaning(end.ending.code)}`);
}

function failedText({ failed, failures }: TestResults): string {
  const names = failures.slice(0, MOST_NAMES).join(', ');
  return `${failed} failed ${failed === 1 ? 'test' : 'tests'}${names === '' ? '' : `: ${names}`}`;
}

function countText({ ran, skipped, runners }: TestResults): string {
  if (runners.length === 0) return '';
  const tests = `${ran} ${ran === 1 ? 'test' : 'tests'} ran`;
  return ` (${tests}${skipped === 0 ? '' : `, ${skipped} skipped`})`;
}

async function searchedText(file: string): Promise<string> {
  await using handle = await openPlainHandle(file);
  const { size } = await handle.stat();
  const read = async (length: number, position: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.toString('utf8', 0, bytesRead);
  };
  if (size <= 2 * SEARCHED_BYTES) return read(size, 0);
  return `${await read(SEARCHED_BYTES, 0)}\n${await read(SEARCHED_BYTES, size - SEARCHED_BYTES)}`;
}

function leftovers(end: SupervisedEnd): string {
  if (end.leftoverProcesses === 0 || end.timedOut) return '';
  return `; ${end.leftoverProcesses} ${end.leftoverProcesses === 1 ? 'process' : 'processes'} that it left running ended`;
}

function meaning(code: number): string {
  if (code === 127) return ' (a program was not found)';
  if (code === 126) return ' (a program could not be started)';
  const signal = SIGNAL_NAMES.get(code);
  return signal === undefined ? '' : ` (ended by ${signal})`;
}

/** The JUnit XML files that a check wrote into its checkout after it started. */
async function findReportFiles(checkout: string, startedAt: number): Promise<string[]> {
  const texts: string[] = [];
  let folders = [checkout];
  let visited = 0;
  let characters = 0;
  for (let depth = 0; depth <= REPORT_DEPTH && folders.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of folders) {
      visited += 1;
      if (visited > REPORT_FOLDERS) return texts;
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !NO_REPORTS.has(entry.name)) next.push(path);
        const text = entry.isFile() && /\.xml$/i.test(entry.name) ? await readNew(path, startedAt) : undefined;
        if (text === undefined || !/<testsuites?[\s>]/.test(text)) continue;
        characters += text.length;
        if (texts.length >= REPORT_FILES || characters > ALL_REPORT_BYTES) return texts;
        texts.push(text);
      }
    }
    folders = next;
  }
  return texts;
}

async function readNew(path: string, startedAt: number): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    return mtimeMs < startedAt - CLOCK_LAG_MS || size > REPORT_BYTES ? undefined : await readFile(path, 'utf8');
  } catch {
    // A process that the check left behind may have removed it.
    return undefined;
  }
}

async function missingProgram(run: CommandSpec['run'], env: Record<string, string>): Promise<string | undefined> {
  if (typeof run === 'string') return undefined;
  const program = run[0] ?? '';
  if (program === '' || program.startsWith('-')) return `"${program}" is not the name of a program`;
  if (program.includes('/')) return undefined;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await isProgram(join(folder, program)))) return undefined;
  }
  return `The program ${program} was not found`;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Whatever cannot be reached cannot be started either.
    return false;
  }
}

async function isDiskFull(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const free = await statfs(path).catch(() => undefined); // The check may have removed its own folder.
    if (free === undefined || free.blocks === 0) continue;
    if (free.bavail * free.bsize < FULL_DISK_BYTES || (free.files > 0 && free.ffree === 0)) return true;
  }
  return false;
}

function couldNotRun(spec: CommandSpec, reason: string, setup: string): GateResult {
  const summary = `The check could not run: ${reason}`;
  return { verdict: 'error', summary, command: shellText(spec), exitCode: null, setup, durationMs: 0 };
}
