import { createServer } from 'node:net';
import { AppError, errorCode } from '../errors.ts';
import type { Config } from '../schema/config.ts';

/** Ports that no other task or application of this engine gets until they are released. */
export interface PortLease extends Disposable {
  readonly ports: readonly number[];
}

type Range = Pick<Config['ports'], 'from' | 'to'>;

const leased = new Set<number>();
/** Listening on 0 selects any free port. */
const ANY = 0;

/** Leases ports that are free now, from the range of the settings or else from all. */
export async function leasePorts(count: number, range: Range): Promise<PortLease> {
  const ports: number[] = [];
  const lease: PortLease = {
    ports,
    [Symbol.dispose]: () => {
      for (const port of ports) leased.delete(port);
    },
  };
  try {
    while (ports.length < count) ports.push(await leaseOne(range));
    return lease;
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}

/** The variables by which a program finds its leased ports: `PORT` is the first, `MANYHANDS_PORTS` lists all. */
export function portVariables(ports: readonly number[]): Record<string, string> {
  return ports.length === 0 ? {} : { PORT: String(ports[0]), MANYHANDS_PORTS: ports.join(',') };
}

async function leaseOne({ from, to }: Range): Promise<number> {
  for (let port = from ?? ANY; ; port += from === undefined ? 0 : 1) {
    if (from !== undefined && port > (to ?? from)) {
      const message = `All ports from ${from} to ${to ?? from} (ports.from, ports.to) are in use`;
      throw new AppError('CONFIG_INVALID', message, { from, to });
    }
    if (leased.has(port)) continue;
    const found = await listenOnce(port);
    // Another lease may have taken it while it was tried.
    if (found === undefined || leased.has(found)) continue;
    leased.add(found);
    return found;
  }
}

/** The port on which a server could listen a moment ago; undefined if the requested one is in use. */
async function listenOnce(requested: number): Promise<number | undefined> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
  server.listen(requested, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : undefined;
    server.close(() => resolve(port));
  });
  return promise;
}
