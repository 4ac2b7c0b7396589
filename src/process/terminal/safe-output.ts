// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what it is about
/** Filters a terminal's bytes for display in the user's terminal; an incomplete sequence is held back. */
export type SafeOutput = {
  /** The last `pendingBytes` bytes pushed so far belong to an incomplete sequence. */
  push(chunk: Buffer): { bytes: Buffer; pendingBytes: number };
};

/** Longer than any allowed sequence; a longer one is dropped. */
const LONGEST_SEQUENCE = 4_096;
/** Longer than any title or image whose end is awaited. */
const LONGEST_STRING = 1024 * 1024;

/** Text, and controls that move the cursor or ring the bell; not those that a terminal answers. */
const PLAIN = /[\x07-\x0f\x20-\x7e\x80-\xff]+/y;
/** Operating system commands, device control, privacy messages and titles: their end is BEL or ST. */
const STRING_START = /\x1b[\]PX^_k]/y;
const STRING_END = /\x07|\x1b\\|\x18|\x1a/g;
const CONTROL_SEQUENCE = /\x1b\[([<-?]?)([0-9:;]*)([ -/]*)([@-~])/y;
const UNFINISHED = /\x1b(?:\[[<-?]?[0-9:;]*[ -/]*|[ -/]*)?$/y;
const SHORT_SEQUENCE = /\x1b(?:[78=>DEHMc]|[()][0AB])/y;
const ESCAPE = /\x1b[ -/]*[0-~]?/y;
/** C1 controls in UTF-8, which a terminal treats as the beginning of a sequence. */
const C1 = /\xc2[\x80-\x9f]/g;
const C1_START = '\xc2';

/** Cursor, erasing, scrolling, colours, margins: nothing that the terminal answers or that affects its window. */
const SAFE_FINALS = new Set('@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu');
const SAFE_MODES = new Set(
  [1, 6, 7, 12, 25, 45, 47, 1000, 1002, 1003, 1004, 1006, 1007, 1047, 1048, 1049, 2004, 2026].map(String),
);

/**
 * Passes text, colours and cursor movements and drops everything else: titles, the clipboard (OSC 52), links, files and
 * images, and every query that a terminal would answer as if the user had typed it.
 */
export function safeOutput(): SafeOutput {
  let pending = '';
  return {
    push(chunk) {
      const text = pending + chunk.toString('latin1');
      const { safe, rest } = filterSequences(text);
      pending = rest;
      return { bytes: Buffer.from(safe.replace(C1, ''), 'latin1'), pendingBytes: rest.length };
    },
  };
}

function filterSequences(text: string): { safe: string; rest: string } {
  const safe: string[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const plain = match(PLAIN)?.[0];
    if (plain !== undefined) {
      safe.push(plain);
      at += plain.length;
    } else if (text[at] !== '\x1b') {
      at += 1;
    } else if (match(STRING_START) !== null) {
      STRING_END.lastIndex = at + 2;
      if (STRING_END.exec(text) === null) {
        if (text.length - at < LONGEST_STRING) break;
        at = text.length;
      } else at = STRING_END.lastIndex;
    } else if (match(UNFINISHED) !== null && text.length - at < LONGEST_SEQUENCE) {
      break;
    } else {
      const sequence = match(CONTROL_SEQUENCE);
      const whole = sequence?.[0] ?? match(SHORT_SEQUENCE)?.[0];
      if (whole !== undefined && (sequence === null || isSafe(sequence))) safe.push(whole);
      at += whole?.length ?? match(ESCAPE)?.[0].length ?? 1;
    }
  }
  const whole = safe.join('');
  const rest = text.slice(at);
  return rest === '' && whole.endsWith(C1_START) ? { safe: whole.slice(0, -1), rest: C1_START } : { safe: whole, rest };
}

function isSafe([, prefix = '', parameters = '', between = '', final = '']: RegExpExecArray): boolean {
  if (between === ' ') return prefix === '' && final === 'q';
  if (between === '!') return prefix === '' && final === 'p';
  if (between !== '') return false;
  if (prefix === '') return SAFE_FINALS.has(final);
  if (prefix !== '?') return false;
  if (final === 'J' || final === 'K') return true;
  return (final === 'h' || final === 'l') && parameters.split(';').every((mode) => SAFE_MODES.has(mode));
}
