import { closeSync, fstatSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent } from '../../errors.ts';
import { isReplaced, openPlainFile } from '../../process/files/plain-file.ts';

/** Enough for the last answer and for the records at the program's end. */
const TAIL_BYTES = 4 * 1024 * 1024;
/** One record of an answer: its event name, its finish reason, and its role. */
const ANSWER =
  /"event\.name":\s*"gemini_cli\.api_response"[\s\S]{0,4000}?"finish_reasons":\s*\[\s*"(\w+)"[\s\S]{0,400}?"role":\s*"(\w+)"/g;

/** Gemini's local telemetry log of requests and finish reasons, without their texts. */
export function telemetryFile(folder: string): string {
  return join(folder, 'gemini', 'telemetry.log');
}

/** Reads and deletes the log; returns why the conversation's last answer ended, if recorded: `length` means truncated. */
export function consumeLastFinish(folder: string): string | undefined {
  const file = telemetryFile(folder);
  const text = readTail(file);
  rmSync(file, { force: true, recursive: true });
  return [...text.matchAll(ANSWER)].findLast(([, , role]) => role === 'main')?.[1];
}

function readTail(file: string): string {
  let opened: number;
  try {
    opened = openPlainFile(file);
  } catch (error) {
    if (isAbsent(error) || isReplaced(error)) return '';
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
