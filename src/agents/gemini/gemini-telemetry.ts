import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent } from '../../errors.ts';

/** Enough for the last answer and for all that is noted when the program ends. */
const TAIL_BYTES = 4 * 1024 * 1024;
/** One note of an answer: its kind, then why it ended, then whose it was. */
const ANSWER =
  /"event\.name":\s*"gemini_cli\.api_response"[\s\S]{0,4000}?"finish_reasons":\s*\[\s*"(\w+)"[\s\S]{0,400}?"role":\s*"(\w+)"/g;

/** Where Gemini notes what it asked and how answers ended, without their texts; nothing of it leaves the machine. */
export function telemetryFile(folder: string): string {
  return join(folder, 'gemini', 'telemetry.log');
}

/** Why the last answer of the attempt's own conversation ended, if it was noted: `length` means that it was cut off. */
export function takeLastFinish(folder: string): string | undefined {
  const file = telemetryFile(folder);
  const text = readTail(file);
  rmSync(file, { force: true });
  return [...text.matchAll(ANSWER)].findLast(([, , role]) => role === 'main')?.[1];
}

function readTail(file: string): string {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
  try {
    const { size } = fstatSync(opened);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(opened, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(opened);
  }
}
