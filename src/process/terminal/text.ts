// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what it is about
/** A line of a terminal: its text without control characters, and the offset at which it was finished. */
export type TerminalLine = { text: string; offset: number };

export type TerminalText = {
  push(chunk: Buffer, offset: number): TerminalLine[];
  /** The line of the cursor. */
  flush(): TerminalLine[];
};

const LONGEST_LINE = 4_000;
const LONGEST_SEQUENCE = 64 * 1024;
/** How many lines are remembered, so that a screen that is redrawn repeatedly is reported once. */
const REMEMBERED = 1_000;
/** The number of lines after a move to another row that count as part of a redrawn screen. */
const PICTURE_LINES = 60;

const BYTES = /[\x20-\x7e\x80-\xff]+/y;
const STRING = /\x1b[\]PX^_k][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\|\x18|\x1a)/y;
const CONTROL_SEQUENCE = /\x1b\[[<-?]?([0-9:;]*)[ -/]*([@-~])/y;
const ESCAPE = /\x1b[ -/]*[0-Z\\`-~]/y;
const PART_OF_CHARACTER = /(?:[\xc0-\xff][\x80-\xbf]{0,2})$/;
const CONTROL = /\p{Cc}/gu;
const OTHER_ROW = new Set('ABEFHfd');
const NOT_LETTERS = /[^\p{L}]+/gu;
const FEWEST_LETTERS = 4;

/**
 * Converts a terminal's output to readable lines. Scrolling output is reported line by line; of a screen that is redrawn
 * in place, only new lines are reported, ignoring spinners and counters. The same bytes give the same lines, however
 * they are split.
 */
export function terminalText(): TerminalText {
  const line = new EditedLine();
  const recentLines = new Set<string>();
  let pending = '';
  let position = 0;
  let picture = 0;

  return {
    push(chunk, offset) {
      const text = pending + chunk.toString('latin1');
      const start = offset - pending.length;
      const lines: TerminalLine[] = [];
      const read = readTerminal(text, {
        put: (bytes) => line.put(bytes),
        edit: (final, count) => line.edit(final, count),
        end: (at, movesRow) => {
          position = start + at;
          if (movesRow) picture = PICTURE_LINES;
          lines.push(...finishLine());
        },
      });
      pending = text.slice(read);
      position = start + read;
      return lines;
    },
    flush: () => finishLine(),
  };

  function finishLine(): TerminalLine[] {
    const text = line.reset();
    const isRedrawn = picture > 0;
    picture = Math.max(0, picture - 1);
    if (text === '') return [];
    const letters = text.replace(NOT_LETTERS, '');
    const key = letters.length < FEWEST_LETTERS ? text : letters;
    const isKnown = recentLines.delete(key);
    recentLines.add(key);
    for (const oldest of recentLines) {
      if (recentLines.size <= REMEMBERED) break;
      recentLines.delete(oldest);
    }
    return isRedrawn && isKnown ? [] : [{ text, offset: position }];
  }
}

type TerminalEvents = {
  put(text: string): void;
  edit(final: string, count: number): void;
  /** The line ends, by a line feed or because the cursor moves to another row. */
  end(at: number, movesRow: boolean): void;
};

/** Reads all complete characters and sequences and returns how many were read. */
function readTerminal(text: string, events: TerminalEvents): number {
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const bytes = match(BYTES)?.[0];
    if (bytes !== undefined) {
      const isLast = at + bytes.length === text.length;
      const cut = isLast ? bytes.length - cutCharacter(bytes) : bytes.length;
      events.put(Buffer.from(bytes.slice(0, cut), 'latin1').toString('utf8').replace(CONTROL, ''));
      at += cut;
      if (cut < bytes.length) return at;
      continue;
    }
    if (text[at] !== '\x1b') {
      at += 1;
      if (text[at - 1] === '\n') events.end(at, false);
      else events.edit(text[at - 1] ?? '', 1);
      continue;
    }
    const sequence = match(CONTROL_SEQUENCE);
    const whole = sequence?.[0] ?? match(STRING)?.[0] ?? match(ESCAPE)?.[0];
    if (whole === undefined && text.length - at < LONGEST_SEQUENCE) return at;
    at += whole?.length ?? 1;
    if (sequence === null) continue;
    const final = sequence[2] ?? '';
    if (OTHER_ROW.has(final)) events.end(at, true);
    else events.edit(final, Number.parseInt(sequence[1] ?? '', 10));
  }
  return at;
}

/** The number of bytes of an incomplete character at the end. */
function cutCharacter(bytes: string): number {
  const partial = PART_OF_CHARACTER.exec(bytes.slice(-3))?.[0] ?? '';
  const first = partial.charCodeAt(0);
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return partial.length < length ? partial.length : 0;
}

/** One line that is written, overwritten and erased. */
class EditedLine {
  #text = '';
  #column = 0;

  put(text: string): void {
    const kept = text.slice(0, Math.max(0, LONGEST_LINE - this.#column));
    const before = this.#text.slice(0, this.#column).padEnd(this.#column);
    this.#text = before + kept + this.#text.slice(this.#column + kept.length);
    this.#column += kept.length;
  }

  edit(final: string, count: number): void {
    const steps = count >= 1 ? count : 1;
    const column = this.#column;
    if (final === '\r') this.#goTo(0);
    else if (final === '\b' || final === 'D') this.#goTo(column - steps);
    else if (final === '\t') this.#goTo((Math.floor(column / 8) + 1) * 8);
    else if (final === 'C') this.#goTo(column + steps);
    else if (final === 'G' || final === '`') this.#goTo(steps - 1);
    else if (final === 'K' && count === 2) this.#text = '';
    else if (final === 'K' && !(count > 0)) this.#text = this.#text.slice(0, column);
  }

  reset(): string {
    const text = this.#text.trimEnd();
    this.#text = '';
    this.#column = 0;
    return text;
  }

  #goTo(column: number): void {
    this.#column = Math.min(LONGEST_LINE, Math.max(0, column));
  }
}
