import { openPlainHandle } from './files/plain-file.ts';

const NEWLINE = 0x0a;
const HEAD_BYTES = 4 * 1024;
const LAST_LINE_BYTES = 2 * 1024;
const TAIL_BYTES = 12 * 1024;
/** Space for the omission line, so that the whole text stays within 16 kB. */
const MARK_BYTES = 64;
/** No output is longer; a file without blocks can seem to be. */
export const MOST_OUTPUT_BYTES = 256 * 1024 * 1024;
/** Colours and progress bars can take several times the space of the cleaned text. */
const RAW_FACTOR = 4;

/**
 * Escape sequences: strings (titles, links), cursor and colour codes, others. The alternatives do not overlap, so
 * that hostile output costs linear time; `stripVTControlCharacters` of Node takes seconds for 64 kB of it.
 */
const ESCAPES = new RegExp(
  [
    '\\u001b[\\]PX^_][^\\u0007\\u001b\\n]*(?:\\u0007|\\u001b\\\\)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/** The useful part of a check's output: clean text of at most 16 kB, its first and last lines, with the number of omitted bytes. */
export async function outputText(file: string): Promise<string> {
  await using handle = await openPlainHandle(file);
  const { size } = await handle.stat();
  const read = async (length: number, position: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  const headRaw = RAW_FACTOR * HEAD_BYTES;
  const tailRaw = RAW_FACTOR * TAIL_BYTES;
  if (size <= headRaw + tailRaw) return shorten(cleanText((await read(size, 0)).toString('utf8')), size);
  const head = cleanText((await read(headRaw, 0)).toString('utf8'));
  const tail = cleanText((await read(tailRaw, size - tailRaw)).toString('utf8'));
  return join(firstLines(head, HEAD_BYTES), lastLines(tail, TAIL_BYTES - MARK_BYTES), size);
}

/** What TAP adds to a result between two marks. */
const TAP_DETAILS = /^ *---\n[\s\S]*?^ *\.\.\.$/gm;
const WORD = /[\p{L}\p{N}]/u;

/** The last line of a file that says something, cleaned; empty if there is none. */
export async function lastLine(file: string): Promise<string> {
  await using handle = await openPlainHandle(file);
  const { size } = await handle.stat();
  const length = Math.min(size, LAST_LINE_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const text = cleanText(buffer.subarray(0, bytesRead).toString('utf8')).replaceAll(TAP_DETAILS, '');
  const line = text.split('\n').findLast((each) => WORD.test(each));
  return line?.trim() ?? '';
}

/** The number of lines in a file; a last line without a newline counts. */
export async function countLines(file: string): Promise<number> {
  let lines = 0;
  let last = NEWLINE;
  for await (const chunk of (await openPlainHandle(file)).createReadStream({ end: MOST_OUTPUT_BYTES - 1 })) {
    const bytes: Buffer = chunk;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
    last = bytes.at(-1) ?? last;
  }
  return last === NEWLINE ? lines : lines + 1;
}

/** Text without escape sequences and control characters; an overwritten line has its last visible content. */
export function cleanText(text: string): string {
  const plain = text.replace(ESCAPES, '');
  const lines = plain.includes('\r') ? plain.split('\n').map(lastOverwrite).join('\n') : plain;
  // Most output is plain ASCII, and looking up the category of every character is slow.
  return /[^\n\t -~]/.test(lines) ? lines.replace(/[^\P{C}\n\t]/gu, '') : lines;
}

function lastOverwrite(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return end === 0 ? '' : line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

function shorten(text: string, size: number): string {
  if (Buffer.byteLength(text) <= HEAD_BYTES + TAIL_BYTES) return text;
  return join(firstLines(text, HEAD_BYTES), lastLines(text, TAIL_BYTES - MARK_BYTES), size);
}

function join(head: string, tail: string, size: number): string {
  const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
  return `${head}\n[... about ${Math.max(size - kept, 0)} bytes omitted ...]\n${tail}`;
}

function firstLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text.trimEnd();
  const cut = bytes.lastIndexOf('\n', maxBytes);
  return wholeCharacters(bytes.subarray(0, cut > 0 ? cut : maxBytes));
}

function lastLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const from = bytes.length - maxBytes;
  const cut = bytes.indexOf('\n', from - 1);
  return wholeCharacters(bytes.subarray(cut >= 0 && cut < bytes.length - 1 ? cut + 1 : from));
}

function wholeCharacters(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}
