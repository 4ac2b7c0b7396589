import type { IncomingMessage, ServerResponse } from 'node:http';
import { collectGarbage } from '../process/memory/collect-garbage.ts';
import type { World } from '../world.ts';

/** From this size on a body counts: what is smaller is collected with the garbage of ordinary work. */
const LARGE_BYTES = 1024 * 1024;

/** A collection takes some 50 ms: at most one in this time, however many large bodies arrive. */
const DELAY_MS = 1_000;

/**
 * Returns the memory of large request bodies to the system. V8 collects garbage only while a program allocates, so an
 * idle server would keep the bodies of the last requests for hours.
 */
export class BodyMemory {
  readonly #world: World;
  readonly #collect: () => void;
  #cancel: (() => void) | undefined;
  #hasGarbage = false;

  constructor(
    world: World,
    collect = () => collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  ) {
    this.#world = world;
    this.#collect = collect;
  }

  /** Notes what a request brings; called before its body is read. An open connection would hold its last request. */
  observe(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket, headers } = incoming;
    const before = socket.bytesRead;
    const isLarge = Number(headers['content-length'] ?? 0) >= LARGE_BYTES;
    if (isLarge || headers['transfer-encoding'] !== undefined) outgoing.setHeader('connection', 'close');
    outgoing.once('close', () => {
      if (socket.bytesRead - before < LARGE_BYTES) return;
      this.#hasGarbage = true;
      this.#schedule();
    });
  }

  /** Forgets a collection that has not begun. */
  [Symbol.dispose](): void {
    this.#cancel?.();
  }

  /** What arrives during the delay is collected again after another one: its connection may not be closed yet. */
  #schedule(): void {
    if (this.#cancel !== undefined) return;
    this.#hasGarbage = false;
    this.#cancel = this.#world.alarm(this.#world.now() + DELAY_MS, () => {
      this.#cancel = undefined;
      this.#collect();
      if (this.#hasGarbage) this.#schedule();
    });
  }
}
