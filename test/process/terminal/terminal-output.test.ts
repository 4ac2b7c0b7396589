import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeOutput } from '../../../src/process/terminal/safe-output.ts';
import { terminalText } from '../../../src/process/terminal/text.ts';

const ESC = '\x1b';

function safe(text: string, encoding: BufferEncoding = 'utf8'): string {
  return safeOutput().push(Buffer.from(text, encoding)).bytes.toString(encoding);
}

function cutAt(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}

function linesOf(pieces: readonly Buffer[]): { text: string; offset: number }[] {
  const reader = terminalText();
  let offset = 0;
  const lines = pieces.flatMap((piece) => {
    const read = reader.push(piece, offset);
    offset += piece.length;
    return read;
  });
  return [...lines, ...reader.flush()];
}

describe('the filtered output of a terminal', () => {
  it.each([
    ['text of any script', 'Zoë 世界 🙂\r\n\t\b\x07'],
    ['colours', `${ESC}[1;38;2;1;2;3mred${ESC}[0m`],
    ['cursor movements and erasing', `${ESC}[2J${ESC}[H${ESC}[3;4H${ESC}[K${ESC}7${ESC}8${ESC}M`],
    ['the other screen, the mouse, pasting', `${ESC}[?1049h${ESC}[?1000h${ESC}[?1006h${ESC}[?2004h${ESC}[?25l`],
  ])('is %s', (_, text) => {
    expect(safe(text)).toBe(text);
  });

  it.each([
    ['a title', `${ESC}]0;owned${'\x07'}`],
    ['the clipboard', `${ESC}]52;c;aGFjaw==${ESC}\\`],
    ['a link', `${ESC}]8;;file:///etc/passwd${ESC}\\`],
    ['a picture or another device string', `${ESC}Pq#0;2;0;0;0${ESC}\\`],
    ['an application command', `${ESC}_Ga=T${ESC}\\`],
    ['a screen title', `${ESC}kname${ESC}\\`],
    ['a question for the cursor', `${ESC}[6n`],
    ['a question for the kind of terminal', `${ESC}[c${ESC}[>c${ESC}[>q${ESC}Z\x05`],
    ['a question for a mode', `${ESC}[?2026$p`],
    ['another size of the window', `${ESC}[8;100;300t`],
    ['printing', `${ESC}[5i`],
    ['other keyboards', `${ESC}[>1u${ESC}[>4;2m${ESC}[?u`],
    ['modes that make it answer', `${ESC}[?2048h${ESC}[?2031h${ESC}[?9001h`],
    ['controls above ASCII', '\u009d0;t\u009c\u009b6n'.replace(/[^\u0080-\u009f]/g, '')],
  ])('is not %s', (_, text) => {
    expect(safe(`a${text}b`)).toBe('ab');
  });

  it('is the same however the bytes are split, and reports how many bytes it holds back', () => {
    const parts = fc.constantFrom(
      'é',
      'x',
      '\n',
      ESC,
      `${ESC}[31m`,
      `${ESC}]0;t${'\x07'}`,
      `${ESC}[6n`,
      '\u009d',
      ';1m',
      '\x07',
    );
    fc.assert(
      fc.property(fc.array(parts), fc.array(fc.nat(5)), (texts, sizes) => {
        const bytes = Buffer.from(texts.join(''));
        const whole = safeOutput().push(bytes);
        const cut = safeOutput();
        const pieces = cutAt(bytes, sizes).map((piece) => cut.push(piece));
        expect(Buffer.concat(pieces.map((piece) => piece.bytes))).toEqual(whole.bytes);
        expect(pieces.at(-1)?.pendingBytes).toBe(whole.pendingBytes);
      }),
    );
  });

  it('does not wait forever for the end of a string', () => {
    const filter = safeOutput();
    filter.push(Buffer.from(`${ESC}]52;`));
    for (let mebibytes = 0; mebibytes < 3; mebibytes += 1) {
      expect(filter.push(Buffer.alloc(1024 * 1024, 'x')).pendingBytes).toBeLessThan(2 * 1024 * 1024);
    }
    filter.push(Buffer.from('\x07'));
    expect(filter.push(Buffer.from('after')).bytes.toString()).toBe('after');
  });
});

describe('the lines of a terminal', () => {
  it('are plain text with overwrites applied', () => {
    const text = `${ESC}[32mok${ESC}[0m one\r\n10%\r20%\r100%\r\nab${'\b'}c\r\nlast`;
    expect(linesOf([Buffer.from(text)]).map((line) => line.text)).toEqual(['ok one', '100%', 'ac', 'last']);
  });

  it('are reported once for a redrawn screen, and always for scrolling output', () => {
    const frame = (second: number) => `${ESC}[H✻ Thinking… (${second}s)\r\n> ask me\r\n`;
    const drawn = [1, 2, 3, 4].map(frame).join('');
    expect(linesOf([Buffer.from(drawn)]).map((line) => line.text)).toEqual(['✻ Thinking… (1s)', '> ask me']);
    const plain = 'test 1 ok\r\ntest 2 ok\r\ntest 2 ok\r\n';
    expect(linesOf([Buffer.from(plain)]).map((line) => line.text)).toEqual(['test 1 ok', 'test 2 ok', 'test 2 ok']);
  });

  it('are the same, at the same offsets, however the bytes are split', () => {
    const parts = fc.constantFrom(
      'é世',
      'word ',
      '\r\n',
      '\r',
      ESC,
      `${ESC}[31m`,
      `${ESC}[2A`,
      `${ESC}]0;t${'\x07'}`,
      '\x9d',
    );
    fc.assert(
      fc.property(fc.array(parts), fc.array(fc.nat(5)), (texts, sizes) => {
        const bytes = Buffer.from(texts.join(''));
        expect(linesOf(cutAt(bytes, sizes))).toEqual(linesOf([bytes]));
      }),
    );
  });

  it('contain no control characters, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const { text } of linesOf([Buffer.from(bytes)])) expect(text).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
