/** A text that may be encoded, where it begins, and what it says. */
type EncodedText = {
  value: string;
  at: number;
  encoding: 'base64' | 'hexadecimal';
  /** The decoded text; undefined for anything but text. */
  decode(): string | undefined;
};

/** The characters of base64, by code, in both alphabets. */
const IS_BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/_=-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const SHORTEST_ENCODED = 20;
const NEWLINE = 10;
/** A line of this length may continue on the next one. */
const SHORTEST_FULL_LINE = 60;
/** Shorter lines continue on the next one where all are of one length, as programs wrap them. */
const SHORTEST_WRAPPED_LINE = 16;
const WRAPPED_LINE = /^[ \t]*([\w+/=-]+)\r?$/;
/** Text begins with text: this much is decoded to tell it from other data. */
const SAMPLE_CHARS = 20;
const MOST_ENCODED_CHARS = 100_000;

/** At least as many bytes as the shortest secret has; most texts of this length are hashes, which are no text. */
const HEXADECIMAL = /(?<![0-9a-z])(?:[0-9a-f]{2}){16,50000}(?![0-9a-z])/gi;
/** Two quoted texts that become one: by an operator between them, or because nothing is. */
const SEAM =
  /(["'`])(?:[ \t]{0,10}(?:\+|\.{1,2}|\|\||<>|&)?[ \t]{0,10}\\?\r?\n[ \t]{0,80}|[ \t]{1,10})?(?:\+|\.{1,2}|\|\||<>|&)?[ \t]{0,10}\1/g;
const SHORTEST_PART = 3;

/** Everything in a text that could be encoded text. */
export function encodedTexts(text: string): EncodedText[] {
  // Hexadecimal digits are characters of base64 too.
  return [...base64Texts(text), ...wrappedTexts(text)]
    .sort((a, b) => a.at - b.at)
    .flatMap((span) => {
      const hex = [...span.value.matchAll(HEXADECIMAL)].map(({ 0: value, index }) => ({ value, at: span.at + index }));
      return [
        { ...span, encoding: 'base64' as const, decode: () => decodedText(span.value) },
        ...hex.map((found) => ({
          ...found,
          encoding: 'hexadecimal' as const,
          decode: () => textOfHex(found.value),
        })),
      ];
    });
}

/** The text with quoted texts put together that follow each other; undefined where there are none. */
export function joinedQuotes(text: string): string | undefined {
  const joined = text.replace(SEAM, '');
  return joined === text ? undefined : joined;
}

/** Where the first part of a value begins in the text that holds it in parts. */
export function longestPartAt(text: string, value: string): number {
  for (let length = value.length - 1; length >= SHORTEST_PART; length -= 1) {
    const at = text.indexOf(value.slice(0, length));
    if (at >= 0) return at;
  }
  return 0;
}

/** A text backwards. */
export function reversed(text: string): string {
  return text.split('').reverse().join('');
}

function textOfHex(value: string): string | undefined {
  const bytes = (from: string) =>
    (from.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join('');
  return isText(bytes(value.slice(0, SAMPLE_CHARS))) ? withoutNul(bytes(value)) : undefined;
}

/** What could be base64, also over several lines; a loop, because an expression takes ten times as long. */
function base64Texts(text: string): { value: string; at: number }[] {
  const spans: { value: string; at: number }[] = [];
  let at = -1;
  let lineStart = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128 && IS_BASE64[code] === 1) {
      if (at < 0) at = lineStart = index;
      continue;
    }
    if (at < 0) continue;
    if (code === NEWLINE && index - lineStart >= SHORTEST_FULL_LINE) {
      lineStart = index + 1;
      continue;
    }
    if (index - at >= SHORTEST_ENCODED) spans.push({ value: text.slice(at, index).trimEnd(), at });
    at = -1;
  }
  return spans;
}

/** Lines of one length, and a shorter last one, that could be base64, also indented. */
function wrappedTexts(text: string): { value: string; at: number }[] {
  const spans: { value: string; at: number }[] = [];
  let open: { at: number; end: number; width: number; lines: number } | undefined;
  const close = () => {
    if (open !== undefined && open.lines > 1) spans.push({ value: text.slice(open.at, open.end), at: open.at });
    open = undefined;
  };
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = end - start > 2 * SHORTEST_FULL_LINE ? undefined : WRAPPED_LINE.exec(text.slice(start, end))?.[1];
    const width = line?.length ?? 0;
    if (open !== undefined && (width === 0 || width > open.width)) close();
    if (open !== undefined) {
      open.lines += 1;
      open.end = end;
      if (width < open.width) close();
    } else if (line !== undefined && width >= SHORTEST_WRAPPED_LINE) {
      open = { at: start + text.slice(start, end).indexOf(line), end, width, lines: 1 };
    }
    start = end + 1;
  }
  close();
  return spans;
}

/** The text that is encoded in base64, also as UTF-16 and after up to three characters of something else; undefined for anything but text. */
export function decodedText(encoded: string): string | undefined {
  const plain = encoded.slice(0, MOST_ENCODED_CHARS).replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  for (let shift = 0; shift === 0 || (shift < 4 && plain.length - shift >= SHORTEST_ENCODED); shift += 1) {
    if (!isText(atob(plain.slice(shift, shift + SAMPLE_CHARS)))) continue;
    const shifted = plain.slice(shift);
    return withoutNul(atob(shifted.slice(0, shifted.length - (shifted.length % 4 === 1 ? 1 : 0))));
  }
  return undefined;
}

function isText(sample: string): boolean {
  return /^(?:[\t\n\r\x20-\x7e]+|(?:[\t\n\r\x20-\x7e]\0)+[\t\n\r\x20-\x7e]?)$/.test(sample);
}

/** Wide characters (UTF-16) have a zero byte beside each letter. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
