import { gitStream } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

/** The elements of a history's patches: the start of a commit, a file name, a message line, the start of a file, an added line. */
type PatchPiece =
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

/** Text that commits add: to a file, or as a message (`path` is then empty). Each byte is one character. */
type AddedText = {
  kind: 'text';
  commit: string;
  path: string;
  text: string;
  /** The line of the file at a position of the text. */
  lineAt(position: number): number;
};
/** A file's name in a commit, or a file whose content git does not show. */
type AddedName = { kind: 'name' | 'unreadable'; commit: string; path: string };

export type Added = AddedText | AddedName;

/** The commits that lead to any of `to` and to none of `from`. */
export type History = { from: readonly string[]; to: readonly string[] };

/** The size of a block. */
const BLOCK_CHARS = 128 * 1024;
/** The end of a block is repeated at the start of the next one, so that no match is split. */
const OVERLAP_CHARS = 4 * 1024;

const PATCHES = [
  ...['--raw', '-p', '--text', '--unified=0', '--full-index', '--no-renames', '--diff-merges=first-parent'],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--src-prefix=a/', '--dst-prefix=b/'],
  ...['--no-show-signature', '--no-notes', '--no-mailmap', '--encoding=UTF-8'],
];

/** Everything that a history adds, commit by commit, also what a later commit removes; attributes hide nothing. */
export async function* addedText(mirror: Mirror, history: History, signal?: AbortSignal): AsyncGenerator<Added, void> {
  const to = history.to.filter((commit) => !history.from.includes(commit));
  if (to.length === 0) return;
  const format = '--format=commit %H%n%w(0,1,1)%an%n%ae%n%B';
  const which = ['--end-of-options', ...to, ...history.from.map((commit) => `^${commit}`)];
  const args = ['-c', 'log.showRoot=true', 'log', format, ...PATCHES, ...which];
  const reader = patchReader();
  const collector = new Collector();
  for await (const chunk of gitStream(mirror, args, { signal })) {
    for (const piece of reader.push(chunk.toString('latin1'))) yield* collector.add(piece);
  }
  yield* collector.add(...reader.push('\n'));
  yield* collector.flush();
}

/** Collects pieces into blocks. */
class Collector {
  #commit = '';
  #path = '';
  #text = '';
  #lines: { at: number; line: number }[] = [];

  add(...pieces: PatchPiece[]): Added[] {
    return pieces.flatMap((piece) => this.#addPiece(piece));
  }

  flush(): Added[] {
    const text = this.#text;
    const lines = this.#lines;
    this.#text = '';
    this.#lines = [];
    return text === '' ? [] : [{ ...this.#source(), kind: 'text', text, lineAt: (at) => lineAt(lines, at) }];
  }

  #addPiece(piece: PatchPiece): Added[] {
    switch (piece.kind) {
      case 'commit': {
        const before = this.flush();
        this.#commit = piece.commit;
        this.#path = '';
        return before;
      }
      case 'message':
        this.#append(piece.text, 0);
        this.#text += '\n';
        return [];
      case 'file':
        return this.#enter(piece.path);
      case 'name':
      case 'unreadable':
        return [{ kind: piece.kind, commit: this.#commit, path: piece.path }];
      case 'added':
        this.#append(piece.text, piece.line);
        if (piece.isEnd) this.#text += '\n';
        return this.#text.length < BLOCK_CHARS ? [] : this.#block();
    }
  }

  #enter(path: string): Added[] {
    if (path === this.#path) return [];
    const before = this.flush();
    this.#path = path;
    return before;
  }

  #append(text: string, line: number): void {
    this.#lines.push({ at: this.#text.length, line });
    this.#text += text;
  }

  #block(): Added[] {
    const cut = this.#text.length - OVERLAP_CHARS;
    const kept = this.#text.slice(cut);
    const lines = [{ at: 0, line: lineAt(this.#lines, cut) }];
    for (const { at, line } of this.#lines) if (at > cut) lines.push({ at: at - cut, line });
    const block = this.flush();
    this.#text = kept;
    this.#lines = lines;
    return block;
  }

  #source(): { commit: string; path: string } {
    return { commit: this.#commit, path: this.#path };
  }
}

function lineAt(lines: readonly { at: number; line: number }[], position: number): number {
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.at ?? 0) <= position) low = middle;
    else high = middle;
  }
  return lines[low]?.line ?? 0;
}

/**
 * Reads `git log --raw -p --unified=0` whose messages are indented by one space. Hunk lines are counted, so that no
 * content can be mistaken for a header.
 */
function patchReader(): PatchReader {
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
