import { Heap } from './heap.ts';

/** `turn` grows with each turn, so that items of equal priority alternate. */
type Ranked<Item> = { item: Item; priority: number; turn: number };

type Group<Item> = Heap<Ranked<Item>>;
type RankedGroup<Item> = { group: Group<Item>; priority: number; load: number; turn: number };

type OrderOptions<Item> = {
  priorityOf(item: Item): number;
  /** The group of an item, and what that has in flight; without it all are one group. */
  groupOf?: ((item: Item) => { id: string; load: number }) | undefined;
};

/**
 * The order in which runs start tasks: the highest priority first; of equal ones the group that has least in flight, then
 * the one that waits longest for its turn. Each step takes logarithmic time.
 */
export class RunOrder<Item> {
  readonly #options: OrderOptions<Item>;
  readonly #groups = new Map<string, Group<Item>>();
  readonly #order = new Heap<RankedGroup<Item>>(isGroupBefore);
  #current: Group<Item> | undefined;
  #turn = 0;

  constructor(items: readonly Item[], options: OrderOptions<Item>) {
    this.#options = options;
    for (const item of items) this.again(item);
    for (const group of this.#groups.values()) this.#rank(group);
  }

  /** Takes the item whose turn it is. */
  next(): Item | undefined {
    if (this.#current !== undefined) this.#rank(this.#current);
    this.#current = this.#order.pop()?.group;
    return this.#current?.pop()?.item;
  }

  /** Lets the item that was taken last have another turn, after the others of its priority. */
  again(item: Item): void {
    const { priorityOf, groupOf } = this.#options;
    const id = groupOf?.(item).id ?? '';
    const group: Group<Item> = this.#groups.get(id) ?? new Heap(isItemBefore);
    this.#groups.set(id, group);
    this.#turn += 1;
    group.push({ item, priority: priorityOf(item), turn: this.#turn });
  }

  #rank(group: Group<Item>): void {
    const first = group.peek();
    if (first === undefined) return;
    const { item, priority, turn } = first;
    this.#order.push({ group, priority, turn, load: this.#options.groupOf?.(item).load ?? 0 });
  }
}

function isItemBefore<Item>(one: Ranked<Item>, other: Ranked<Item>): boolean {
  return one.priority === other.priority ? one.turn < other.turn : one.priority > other.priority;
}

function isGroupBefore<Item>(one: RankedGroup<Item>, other: RankedGroup<Item>): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority;
  return one.load === other.load ? one.turn < other.turn : one.load < other.load;
}
