import { isAbsent } from '../errors.ts';
import { openPlainHandle } from '../process/files/plain-file.ts';
import { cleanText } from '../process/output-text.ts';
import type { GateSpec } from '../schema/gate.ts';
import { type Gate, noWork } from './gate.ts';
import { shownPath } from './shown-path.ts';

/** Only the end of each channel counts: an error that the agent went on from is none. */
const LAST_LINES = 20;
const LAST_BYTES = 256 * 1024;
/** How programs begin the line by which they give up; a time or a level in brackets may precede it. */
const ERROR_LINE =
  /^(?:[[(]?[\dTZ:.,+ -]{8,40}[\])]?\s*)?(?:\w[\w./-]{0,40}:\s*)?[[(<]?(?:error|fatal|panic|critical|traceback|uncaught|unhandled(?:rejection)?|segmentation fault)\b|^npm ERR!/i;

/** Standard output has prose too: only forms that programs print when they fail count there, and only at its very end. */
const FAILURE_LINE = /^(npm (ERR!|error\b)|FATAL:|panic: |fatal error: |Traceback \(most recent call last\):)/;
const LAST_FAILURE_LINES = 5;
/** A traceback is as long as the call stack; it is found by its first line. */
const MOST_TRACEBACK_LINES = 300;

/**
 * Passes when the end of neither channel reports an error. In the last 20 lines of standard error no line begins as
 * programs begin their last one (error, fatal, panic, traceback, uncaught ...). In those of standard output no JSON
 * event is an error by its own fields (`type` is error or ends in it or in `failed`, or `is_error` is true), and its
 * last 5 lines are not those of a traceback, `npm ERR!`, `FATAL:` or a panic; other prose is never judged.
 */
export const cleanOutputGate: Gate<Extract<GateSpec, { gate: 'clean-output' }>> = {
  name: 'clean-output',
  async check(_spec, input) {
    input.signal.throwIfAborted();
    if (input.work === undefined) return noWork();
    const trimmed = (lines: readonly string[]) => lines.slice(-LAST_LINES).map((line) => line.trim());
    const stdout = await lastLines(input.work.stdout);
    const problems = [
      ...trimmed(await lastLines(input.work.stderr)).filter((line) => ERROR_LINE.test(line)),
      ...trimmed(stdout).filter(isErrorEvent),
      ...failureLines(stdout),
    ];
    const [first] = problems;
    return {
      verdict: first === undefined ? 'pass' : 'fail',
      summary:
        first === undefined ? 'No error in its last output' : `Its last output has an error: ${shownPath(first)}`,
      exitCode: null,
      setup: '',
      durationMs: 0,
      ...(first === undefined ? {} : { output: problems.map(shownPath).join('\n') }),
    };
  },
};

async function lastLines(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  try {
    await using file = await openPlainHandle(path);
    const { size } = await file.stat();
    const length = Math.min(size, LAST_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = cleanText(buffer.toString('utf8', 0, bytesRead));
    return text
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-MOST_TRACEBACK_LINES);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The lines at the very end by which a program reports its failure; a traceback is named by its exception. */
function failureLines(lines: readonly string[]): string[] {
  const traceback = lines.findLastIndex((line) => line.startsWith('Traceback ('));
  const exception = lines.findIndex((line, index) => traceback >= 0 && index > traceback && !/^\s/.test(line));
  return lines.filter(
    (line, index) => index >= lines.length - LAST_FAILURE_LINES && (index === exception || FAILURE_LINE.test(line)),
  );
}

function isErrorEvent(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== 'object' || event === null) return false;
    if ('is_error' in event && event.is_error === true) return true;
    return 'type' in event && typeof event.type === 'string' && /(^|[._-])(error|failed)$/.test(event.type);
  } catch {
    // A line that was cut, or only resembles an event, is ignored.
    return false;
  }
}
