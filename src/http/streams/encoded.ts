/** Items as they go over the wire, one behind the other: the number that each is resumed by, and where its bytes end. */
export type Encoded = { ids: readonly (number | undefined)[]; ends: readonly number[]; bytes: Buffer };

/** Items are packed together up to about this size. */
const LARGE_BYTES = 64 * 1024;

/** Items that are made bytes together, as one by one they would cost more than what they say. */
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

/** The bytes of the items behind a number, where items come in the order of their numbers. */
export function bytesBehind({ ids, ends, bytes }: Encoded, after: number): Buffer {
  const seen = ids.findLastIndex((id) => id !== undefined && id <= after);
  return seen < 0 ? bytes : bytes.subarray(ends[seen]);
}
