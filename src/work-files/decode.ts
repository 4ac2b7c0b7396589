import { isUtf8 } from 'node:buffer';
import type { InputErrors } from './input-errors.ts';

const UTF16_LITTLE = [0xff, 0xfe] as const;
const UTF16_BIG = [0xfe, 0xff] as const;

/** The text of a file: UTF-8 or, with a byte order mark, UTF-16; line ends become `\n`. Anything else is refused with its location. */
export function decodeText(bytes: Uint8Array, errors: InputErrors): string {
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
