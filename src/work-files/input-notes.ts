import type { Path, Source, SourceLocation } from './source.ts';

const MOST_NOTES = 100;

type Note = { at: SourceLocation | undefined; times: number };

/** What the owner of a file should know although the file is valid; a note that is repeated has the location of the first. */
export class InputNotes {
  readonly #file: string;
  readonly #found = new Map<string, Note>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a note about the file as a whole. */
  add(text: string): void {
    this.#count(text, undefined);
  }

  /** Adds a note about a key. */
  addAt(source: Source, path: Path, text: string): void {
    this.#count(text, () => source.locate(path, 'key'));
  }

  /** The notes as lines, each with its location where it has one, and only the first of many. */
  lines(): string[] {
    const all = [...this.#found].map(([text, { at, times }]) => {
      const more = times === 1 ? '' : ` (${times} times)`;
      return at === undefined ? text : `${this.#file}:${at.line}:${at.column}: ${text}${more}`;
    });
    if (all.length <= MOST_NOTES) return all;
    return [...all.slice(0, MOST_NOTES), `There are ${all.length - MOST_NOTES} more notes of this kind.`];
  }

  #count(text: string, locate: (() => SourceLocation) | undefined): void {
    const known = this.#found.get(text);
    if (known === undefined) this.#found.set(text, { at: locate?.(), times: 1 });
    else known.times += 1;
  }
}
