import type { ClientBase } from 'pg';
import type { World } from '../../world.ts';
import type { Connection } from './connection.ts';

type Parts = {
  connection: Connection;
  world: World;
  /** The channels whose notifications are a reason to read. */
  channels: readonly string[];
  /** Called for each notification before it is read. */
  onNotification?: (channel: string) => void;
  /** Called when notifications may have been missed: the connection is new. */
  onConnected?: () => void;
  /** Reads, and returns after how many milliseconds it is to be read again without a notification; undefined: never. */
  read(client: ClientBase): Promise<number | undefined>;
};

/** The pause before a database that did not answer is asked again. */
const AGAIN_MS = 1_000;

/** Reads when there is a notification, after a connection was lost, and when what was read says so; one reading at a time. */
export class NotifiedReading implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #stopWatching: () => void;
  #cancel = () => {};
  #reading: Promise<void> | undefined;
  #isAgain = false;
  #listening: ClientBase | undefined;
  #isEnded = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stopWatching = parts.connection.onLost(() => this.requestAfter(AGAIN_MS));
  }

  /** Reads now, or again after the reading that is in flight. */
  request(): void {
    if (this.#isEnded) return;
    this.#isAgain = true;
    this.#cancel();
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
      if (this.#isAgain) this.request();
    });
  }

  requestAfter(ms: number): void {
    const { world } = this.#parts;
    this.#cancel();
    if (!this.#isEnded) this.#cancel = world.alarm(world.now() + ms, () => this.request());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#stopWatching();
    this.#cancel();
    await this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#isAgain && !this.#isEnded) {
      this.#isAgain = false;
      try {
        const nextMs = await this.#parts.connection.use((client) => this.#readOnce(client));
        if (nextMs !== undefined && !this.#isAgain) this.requestAfter(nextMs);
      } catch {
        // Safe: it is read again, on a new connection where this one was lost.
        this.#isAgain = false;
        this.requestAfter(AGAIN_MS);
      }
    }
  }

  async #readOnce(client: ClientBase): Promise<number | undefined> {
    const { channels, onNotification, onConnected, read } = this.#parts;
    if (this.#listening !== client) {
      client.on('notification', ({ channel }) => {
        if (!channels.includes(channel)) return;
        onNotification?.(channel);
        this.request();
      });
      for (const channel of channels) await client.query(`LISTEN ${channel}`);
      this.#listening = client;
      onConnected?.();
    }
    return read(client);
  }
}
