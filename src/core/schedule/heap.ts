/** A binary heap: `pop` gives the item that comes before all others. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: (one: Item, other: Item) => boolean;

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item, which stays. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = items[parent] as Item; // In bounds: a parent has a smaller index.
      if (!this.#isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const [one, other] = [items[left] as Item, items[right]]; // In bounds: checked above.
      const child = other !== undefined && this.#isBefore(other, one) ? right : left;
      const below = items[child] as Item;
      if (!this.#isBefore(below, last)) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
