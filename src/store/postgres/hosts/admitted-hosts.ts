import type { World } from '../../../world.ts';
import { Connection } from '../connection.ts';

/** How long an answer of the database is used; each order makes several requests. */
const KEPT_MS = 5_000;

/** Which hosts belong to an installation: those with a login of their own, and those with a lease. */
export class AdmittedHosts implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #world: World;
  readonly #answers = new Map<string, { at: number; isAdmitted: boolean }>();

  constructor(url: string, world: World) {
    this.#connection = new Connection(url);
    this.#world = world;
  }

  /** False for a host whose login was removed, as soon as its lease has ended. */
  async has(host: string): Promise<boolean> {
    const now = this.#world.now();
    const known = this.#answers.get(host);
    if (known !== undefined && Math.abs(now - known.at) < KEPT_MS) return known.isAdmitted;
    const isAdmitted = await this.#read(host);
    this.#answers.set(host, { at: now, isAdmitted });
    return isAdmitted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }

  async #read(host: string): Promise<boolean> {
    const { rows } = await this.#connection.use((client) =>
      client.query<{ admitted: boolean }>(
        `SELECT EXISTS (SELECT 1 FROM manyhands.host_roles WHERE host = $1)
           OR EXISTS (SELECT 1 FROM manyhands.hosts
                      WHERE name = $1 AND instance IS NOT NULL AND expires_at > clock_timestamp()) AS admitted`,
        [host],
      ),
    );
    return rows[0]?.admitted === true;
  }
}
