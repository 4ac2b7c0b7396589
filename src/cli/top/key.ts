/** Keyboard input: a named key, a typed character, or a pasted text. */
export type Key = { kind: 'key'; name: string } | { kind: 'text'; text: string } | { kind: 'paste'; text: string };

/** `rest` is the beginning of an incomplete sequence. */
export type ReadKeys = { keys: Key[]; rest: string };

const ESCAPE = '\u001b';
const PASTE_BEGIN = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
/** A longer paste is dropped. */
const LONGEST_PASTE = 100_000;
const SEQUENCE = new RegExp(`^${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\\[O${ESCAPE}])`, 'u');

const SEQUENCES: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
};

const CONTROLS: Record<string, string> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

/** Reads keys from terminal input; with `isComplete`, an incomplete sequence is read as it is. */
export function readKeys(input: string, isComplete: boolean): ReadKeys {
  const keys: Key[] = [];
  let rest = input;
  while (rest !== '') {
    const next = nextKey(rest, isComplete);
    if (next === undefined) break;
    if (next.key !== undefined) keys.push(next.key);
    rest = rest.slice(next.length);
  }
  return { keys, rest };
}

type Next = { key: Key | undefined; length: number };

function nextKey(input: string, isComplete: boolean): Next | undefined {
  if (input.startsWith(PASTE_BEGIN)) return pasted(input);
  if (!input.startsWith(ESCAPE)) return plainKey(input);
  const sequence = SEQUENCE.exec(input)?.[0];
  if (sequence !== undefined) return { key: sequenceKey(sequence), length: sequence.length };
  if (input.startsWith(ESCAPE + ESCAPE)) return { key: { kind: 'key', name: 'escape' }, length: 1 };
  if (!isComplete) return undefined;
  return { key: input === ESCAPE ? { kind: 'key', name: 'escape' } : undefined, length: input.length };
}

/** A paste arrives in pieces and is returned when its end has arrived. */
function pasted(input: string): Next | undefined {
  const end = input.indexOf(PASTE_END);
  if (end >= 0)
    return { key: { kind: 'paste', text: input.slice(PASTE_BEGIN.length, end) }, length: end + PASTE_END.length };
  return input.length < LONGEST_PASTE ? undefined : { key: undefined, length: input.length };
}

/** Unknown sequences, such as Alt with a letter, are ignored. */
function sequenceKey(sequence: string): Key | undefined {
  const name = SEQUENCES[sequence.slice(2).replace(/^1;\d+/, '')];
  return name === undefined ? undefined : { kind: 'key', name };
}

function plainKey(input: string): Next {
  const [first = ''] = input;
  const code = first.codePointAt(0) ?? 0;
  const named = CONTROLS[first];
  if (named !== undefined) return { key: { kind: 'key', name: named }, length: 1 };
  if (code >= 0x20 && (code < 0x80 || code > 0x9f)) return { key: { kind: 'text', text: first }, length: first.length };
  if (code === 0 || code > 26) return { key: undefined, length: first.length };
  return { key: { kind: 'key', name: `ctrl-${String.fromCharCode(code + 96)}` }, length: 1 };
}
