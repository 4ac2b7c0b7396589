import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { AppError, unreadableText } from '../errors.ts';
import type { WorkFile } from '../schema/work-file.ts';
import { InputErrors } from './input-errors.ts';
import { parseWork, type WorkOptions } from './parse-work.ts';

const UTF16_LITTLE = [0xff, 0xfe] as const;

const UTF16_BIG = [0xfe, 0xff] as const;

const MAX_BYTES = 32 * 1024 * 1024;

/** Reads a work file of at most 32 MB. `shown` is its name in messages. */
export async function readWorkFile(path: string, options: WorkOptions & { shown?: string } = {}): Promise<WorkFile> {
  const { shown = path, ...rest } = options;
  const bytes = await readBytes(path, shown);
  const text = decodeText(bytes, new InputErrors(shown));
  const file = options.root === undefined ? undefined : await fileInside(options.root, path);
  return parseWork(text, shown, { ...rest, file });
}

async function readBytes(path: string, shown: string): Promise<Uint8Array> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile()) throw unreadable(shown, found.isDirectory() ? 'is a folder' : 'is not an ordinary file');
    if (found.size > MAX_BYTES) {
      throw unreadable(shown, `has ${found.size} bytes; a file of work has at most ${MAX_BYTES}`);
    }
    return await handle.readFile();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable(shown, unreadableText(error));
  }
}

function unreadable(path: string, why: string): AppError {
  return new AppError('WORK_FILE_UNREADABLE', `${path} ${why}`, { path });
}

/** The path as the project knows it, if it leads to a file inside of it. */
async function fileInside(root: string, path: string): Promise<string | undefined> {
  const inside = relative(await realpath(root), await realpath(path));
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
  return inside.split(sep).join('/');
}

/** The text of a file: UTF-8 or, with a byte order mark, UTF-16; line ends become `\n`. Anything else is refused with its location. */
function decodeText(bytes: Uint8Array, errors: InputErrors): string {
  const text = isMarked(bytes, UTF16_LITTLE)
    ? new TextDecoder('utf-16le').decode(bytes)
    : isMarked(bytes, UTF16_BIG)
      ? new TextDecoder('utf-16be').decode(bytes)
      : decodeUtf8(bytes, errors);
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  const nul = lines.indexOf('\0');
  if (nul >= 0) {
    errors.add({
      code: 'syntax_error',
      reason: 'holds a NUL character: this is not a text file',
      ...locationOf(lines, nul),
    });
    errors.fail();
  }
  return lines;
}

function isMarked(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function decodeUtf8(bytes: Uint8Array, errors: InputErrors): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (isUtf8(bytes)) return text;
  const broken = text.indexOf('\uFFFD');
  errors.add({ code: 'syntax_error', reason: 'not valid UTF-8: save the file as UTF-8', ...locationOf(text, broken) });
  return errors.fail();
}

function locationOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(0, offset)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
