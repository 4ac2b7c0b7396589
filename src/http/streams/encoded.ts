/** Encoded items: the number by which each is resumed, and the offset at which its bytes end. */
export type Encoded = { ids: readonly (number | undefined)[]; ends: readonly number[]; bytes: Buffer };

/** Items are packed together up to about this size. */
const LARGE_BYTES = 64 * 1024;

/** Encodes several items together, which is cheaper than one by one. */
export class Pack {
  #text = '';
  #bytes = 0;
  readonly #ids: (number | undefined)[] = [];
  readonly #ends: number[] = [];

  get isEmpty(): boolean {
    return this.#ids.length === 0;
  }

  get isLarge(): boolean {
    return this.#bytes >= LARGE_BYTES;
  }

  add(id: number | undefined, text: string): void {
    this.#text += text;
    this.#bytes += Buffer.byteLength(text);
    this.#ids.push(id);
    this.#ends.push(this.#bytes);
  }

  encoded(): Encoded {
    return { ids: this.#ids, ends: this.#ends, bytes: Buffer.from(this.#text) };
  }
}

/** The number of the last item. */
export function lastIdOf({ ids }: Encoded): number | undefined {
  return ids.at(-1);
}

/** The bytes of the items after a number, for items that are ordered by number. */
export function bytesAfter({ ids, ends, bytes }: Encoded, after: number): Buffer {
  const seen = ids.findLastIndex((id) => id !== undefined && id <= after);
  return seen < 0 ? bytes : bytes.subarray(ends[seen]);
}
