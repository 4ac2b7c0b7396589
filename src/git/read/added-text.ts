import { gitStream } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { piecesOfInsertion } from './insertion.ts';
import { type PatchPiece, patchReader } from './patch-pieces.ts';

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
  const insertion = await piecesOfInsertion(mirror, { from: history.from, to });
  if (insertion !== undefined) {
    const collector = new Collector();
    yield* collector.add(...insertion);
    yield* collector.flush();
    return;
  }
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
