import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { World } from '../world.ts';

/** Beyond this number of connections without a login, the oldest is closed. */
const MAX_ANONYMOUS = 100;
/** How long a connection without a login may stay open. */
const ANONYMOUS_MS = 15_000;
const MAX_IDENTIFIED = 1_000;

/** Keeps clients that have not logged in from using up the connections that logged-in clients need. */
export class ConnectionLimits {
  readonly #anonymous = new Map<Socket, () => void>();
  readonly #world: World;

  constructor(server: Server, world: World) {
    this.#world = world;
    // More than the sum: a connection that is being closed still counts.
    server.maxConnections = MAX_IDENTIFIED + 2 * MAX_ANONYMOUS;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Removes the limits of a connection whose client has logged in. */
  release(socket: Socket): void {
    this.#anonymous.get(socket)?.();
    this.#anonymous.delete(socket);
  }

  #add(socket: Socket): void {
    const [oldest] = this.#anonymous.keys();
    if (oldest !== undefined && this.#anonymous.size >= MAX_ANONYMOUS) this.#close(oldest);
    this.#anonymous.set(
      socket,
      this.#world.alarm(this.#world.now() + ANONYMOUS_MS, () => this.#close(socket)),
    );
    socket.once('close', () => this.release(socket));
  }

  #close(socket: Socket): void {
    this.release(socket);
    socket.destroy();
  }
}
