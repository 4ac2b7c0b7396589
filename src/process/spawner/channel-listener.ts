import { createServer, type Socket } from 'node:net';
import { realWorld } from '../../world.ts';

/** A key is a token of this process and a line break. */
const MAX_KEY_BYTES = 200;
/** Whoever connects without naming a key. */
const NAMED_WITHIN_MS = 10_000;
/** Connections without a key, besides those of the shims that are expected; of more the oldest ends. */
const MAX_STRANGERS = 64;

/**
 * Accepts the channels of shims that the spawner starts. A shim connects by itself, so that its channel is one to this
 * process and outlives the spawner, and names the key of its launch, which nobody else knows.
 */
export class ChannelListener {
  readonly name = `manyhands-${realWorld.token()}`;
  readonly #expected = new Map<string, (channel: Socket) => void>();
  readonly #unnamed = new Set<Socket>();

  private constructor() {}

  /** Listens under a name of the system instead of a file: it ends with this process. */
  static open(): Promise<ChannelListener> {
    const listener = new ChannelListener();
    const server = createServer((socket) => listener.#accept(socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(`\0${listener.name}`, () => {
        server.unref();
        resolve(listener);
      });
    });
  }

  /** The channel that will name this key. */
  expect(key: string): { channel: Promise<Socket>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    this.#expected.set(key, resolve);
    return { channel: promise, cancel: () => void this.#expected.delete(key) };
  }

  #accept(socket: Socket): void {
    let received = Buffer.alloc(0);
    // Its end is what counts, and is noticed.
    socket.on('error', () => {});
    const endAlarm = realWorld.alarm(realWorld.now() + NAMED_WITHIN_MS, () => socket.destroy());
    const forget = () => {
      endAlarm();
      this.#unnamed.delete(socket);
    };
    socket.once('close', forget);
    this.#unnamed.add(socket);
    const [oldest] = this.#unnamed;
    if (this.#unnamed.size > this.#expected.size + MAX_STRANGERS) oldest?.destroy();
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\n');
      if (end < 0 && received.length <= MAX_KEY_BYTES) return;
      const key = received.subarray(0, Math.max(end, 0)).toString('latin1');
      const take = this.#expected.get(key);
      this.#expected.delete(key);
      if (take === undefined) {
        socket.destroy();
        return;
      }
      socket.off('data', onData);
      socket.pause();
      forget();
      if (end + 1 < received.length) socket.unshift(received.subarray(end + 1));
      take(socket);
    };
    socket.on('data', onData);
  }
}
