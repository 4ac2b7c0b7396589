import type { Mirror } from '../../git/mirror/mirror.ts';
import { fetchCommits, objectRef, pushRefs, type Transfer, type Transferred } from '../../git/push/transfer.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { World } from '../../world.ts';
import { TransferQueue } from './transfer-queue.ts';

type HostTransfer = Transfer & { signal: AbortSignal };

/**
 * The exchanges of a host with the repository of the hosts: its orders begin and end together, and share them. With a token,
 * which is that of one order, there is nothing to share.
 */
export class HostTransfers {
  readonly #world: World;
  /** By direction, URL and mirror. */
  readonly #queues = new Map<string, TransferQueue>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Fetches the commits that the mirror has not. */
  async fetch(transfer: HostTransfer, commits: readonly string[]): Promise<Transferred> {
    const missing = await missingIn(transfer.mirror, commits);
    if (transfer.token !== undefined) return missing.length === 0 ? { kind: 'done' } : fetchCommits(transfer, missing);
    const queue = this.#queue('fetch', transfer, async (wanted, signal) => {
      // An earlier fetch may have brought them.
      const still = await missingIn(transfer.mirror, wanted);
      return still.length === 0 ? { kind: 'done' } : fetchCommits({ ...transfer, signal }, still);
    });
    const fetched = await Promise.all(missing.map((commit) => queue.transfer(commit, transfer.signal)));
    return fetched.find(({ kind }) => kind !== 'done') ?? { kind: 'done' };
  }

  /** Pushes every ref below a prefix. */
  push(transfer: HostTransfer, prefix: string): Promise<Transferred> {
    if (transfer.token !== undefined) return pushRefs(transfer, [prefix]);
    const queue = this.#queue('push', transfer, (prefixes, signal) => pushRefs({ ...transfer, signal }, prefixes));
    return queue.transfer(prefix, transfer.signal);
  }

  #queue(
    direction: string,
    { url, mirror }: Transfer,
    transfer: ConstructorParameters<typeof TransferQueue>[0],
  ): TransferQueue {
    const key = `${direction}\n${url}\n${mirror.dir}`;
    const queue = this.#queues.get(key) ?? new TransferQueue(transfer, this.#world);
    this.#queues.set(key, queue);
    return queue;
  }
}

async function missingIn(mirror: Mirror, commits: readonly string[]): Promise<string[]> {
  const known = await Promise.all(commits.map((commit) => readRef(mirror, objectRef(commit))));
  return commits.filter((commit, index) => known[index] !== commit);
}
