/** The elements of a history's patches: the start of a commit, a file name, a message line, the start of a file, an added line. */
export type PatchPiece =
  | { kind: 'commit'; commit: string }
  | { kind: 'name' | 'file' | 'unreadable'; path: string }
  | { kind: 'message'; text: string }
  | { kind: 'added'; text: string; line: number; isEnd: boolean };

interface PatchReader {
  /** Bytes of the output, each as one character. */
  push(text: string): PatchPiece[];
}

/** The number of remaining lines of either side, and the number of the next added line. */
type Hunk = { old: number; added: number; line: number };

/** A longer line is emitted in parts. */
const LONGEST_LINE = 64 * 1024;

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/**
 * Reads `git log --raw -p --unified=0` whose messages are indented by one space. Hunk lines are counted, so that no
 * content can be mistaken for a header.
 */
export function patchReader(): PatchReader {
  let rest = '';
  let path = '';
  let hunk: Hunk | undefined;
  let open: { line: number; isAdded: boolean } | undefined;

  function lineOf(text: string, isEnd: boolean): PatchPiece[] {
    if (open !== undefined) return continueLine(text, isEnd);
    if (hunk !== undefined && (hunk.added > 0 || hunk.old > 0)) return inHunk(hunk, text, isEnd);
    hunk = undefined;
    return header(text);
  }

  function continueLine(text: string, isEnd: boolean): PatchPiece[] {
    const { line, isAdded } = open ?? { line: 0, isAdded: false };
    if (isEnd) open = undefined;
    return isAdded ? [{ kind: 'added', text, line, isEnd }] : [];
  }

  function inHunk(current: Hunk, text: string, isEnd: boolean): PatchPiece[] {
    const { line } = current;
    const isAdded = text.startsWith('+');
    if (isAdded) {
      current.added -= 1;
      current.line += 1;
    } else if (text.startsWith('-')) current.old -= 1;
    if (!isEnd) open = { line, isAdded };
    return isAdded ? [{ kind: 'added', text: text.slice(1), line, isEnd }] : [];
  }

  function header(text: string): PatchPiece[] {
    if (text.startsWith('commit ')) {
      path = '';
      return [{ kind: 'commit', commit: text.slice('commit '.length) }];
    }
    if (text.startsWith(' ')) return [{ kind: 'message', text: text.slice(1) }];
    if (text.startsWith(':')) return [{ kind: 'name', path: unquoted(text.slice(text.indexOf('\t') + 1)) }];
    if (text.startsWith('+++ ')) path = pathOf(text);
    if (text.startsWith('Binary files ')) return [{ kind: 'unreadable', path }];
    const found = HUNK.exec(text);
    if (found === null) return [];
    const [, old = '1', line = '1', added = '1'] = found;
    hunk = { old: Number(old), added: Number(added), line: Number(line) };
    return path === '' ? [] : [{ kind: 'file', path }];
  }

  return {
    push(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      const pieces = lines.flatMap((line) => lineOf(line, true));
      if (rest.length > LONGEST_LINE && hunk !== undefined) {
        pieces.push(...lineOf(rest, false));
        rest = '';
      }
      return pieces;
    },
  };
}

/** `+++ b/name`, quoted when it has odd characters, with a tab after it when it has a space. */
function pathOf(text: string): string {
  const name = unquoted(text.slice('+++ '.length).replace(/\t$/, ''));
  return name === '/dev/null' ? '' : name.replace(/^b\//, '');
}

/** Decodes a name that git quoted; its bytes are UTF-8. */
function unquoted(name: string): string {
  const plain = name.startsWith('"')
    ? name
        .slice(1, -1)
        .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
          code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
        )
    : name;
  return Buffer.from(plain, 'latin1').toString('utf8');
}
