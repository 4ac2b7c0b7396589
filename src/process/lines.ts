import { isUtf8 } from 'node:buffer';

type Line = {
  /** Without the line end; invalid UTF-8 is replaced. */
  text: string;
  /** The byte offset of the line's start. */
  offset: number;
  /** The byte offset of the next line. */
  end: number;
  /** The number of bytes dropped at its end. */
  truncatedBytes: number;
  invalidUtf8: boolean;
};

export type LineReader = {
  push(chunk: Buffer): Line[];
  /** The unfinished last line, if there is one. */
  flush(): Line[];
};

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SMALL_BYTES = 4096;

/** Splits bytes into lines in linear time, with at most `maxLineBytes` of an unfinished line in memory. */
export function lineReader({ maxLineBytes, from = 0 }: { maxLineBytes: number; from?: number }): LineReader {
  let pending = Buffer.alloc(0);
  let heldBytes = 0;
  let lineStart = from;
  let position = from;

  function hold(bytes: Buffer): void {
    const kept = bytes.subarray(0, maxLineBytes - heldBytes);
    if (heldBytes + kept.length > pending.length) pending = grown(pending, heldBytes, heldBytes + kept.length);
    kept.copy(pending, heldBytes);
    heldBytes += kept.length;
    position += bytes.length;
  }

  function finish(last: Buffer, endBytes: number): Line {
    const isWhole = heldBytes === 0 && last.length <= maxLineBytes;
    if (isWhole) position += last.length;
    else hold(last);
    const kept = isWhole ? last : pending.subarray(0, heldBytes);
    const line = toLine(kept, { offset: lineStart, size: position - lineStart, endBytes });
    position += endBytes;
    lineStart = position;
    heldBytes = 0;
    if (pending.length > SMALL_BYTES) pending = Buffer.alloc(0);
    return line;
  }

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
        lines.push(finish(chunk.subarray(start, at), 1));
        start = at + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      return lines;
    },
    flush: () => (position > lineStart ? [finish(Buffer.alloc(0), 0)] : []),
  };
}

function grown(buffer: Buffer<ArrayBuffer>, used: number, needed: number): Buffer<ArrayBuffer> {
  const bigger = Buffer.alloc(Math.max(needed, buffer.length * 2, SMALL_BYTES));
  buffer.copy(bigger, 0, 0, used);
  return bigger;
}

function toLine(kept: Buffer, line: { offset: number; size: number; endBytes: number }): Line {
  const isCut = kept.length < line.size;
  const hasReturn = !isCut && line.endBytes > 0 && kept.at(-1) === CARRIAGE_RETURN;
  const bytes = isCut ? wholeCharacters(kept) : kept.subarray(0, kept.length - (hasReturn ? 1 : 0));
  return {
    text: bytes.toString('utf8'),
    offset: line.offset,
    end: line.offset + line.size + line.endBytes,
    truncatedBytes: isCut ? line.size - bytes.length : 0,
    invalidUtf8: !isUtf8(bytes),
  };
}

/** Drops an incomplete last character, which would look like invalid UTF-8. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
