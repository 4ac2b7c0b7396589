import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostLink } from '../../src/store/postgres/hosts/host-link.ts';
import { inspectInstallation } from '../../src/store/postgres/inspect.ts';
import { realWorld } from '../../src/world.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

/** An acceptance takes longer than a host waits for its answer, which is 20 s; PostgreSQL executes it all the same. */
const SLOW_ACCEPTANCE = `
  CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(22); RETURN NEW; END $$;
  CREATE TRIGGER slow BEFORE UPDATE ON manyhands.orders FOR EACH ROW EXECUTE FUNCTION public.slow();
`;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('An order', { timeout: 120_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('is performed whose acceptance the database executes only after its connection was given up', async () => {
    const url = await postgres.createDatabase();
    await inspectInstallation(url);
    const instance = crypto.randomUUID();
    const none = { agents: [], labels: [], memoryBytes: 1, diskBytes: 1, version: '0.1.0', machine: 'm', release: 1 };
    await using link = new HostLink(url, { name: 'b2', instance, slots: 1, checks: 0, ...none }, realWorld);
    await link.register([]);
    await query(
      url,
      `INSERT INTO manyhands.orders (id, kind, host, instance, body) VALUES ('r-1-1', 'attempt', 'b2', '${instance}', '{}')`,
    );
    await query(url, SLOW_ACCEPTANCE);
    const over = AbortSignal.timeout(100_000);
    const received: string[] = [];
    let failures = 0;
    while (received.length === 0 && !over.aborted)
      try {
        const { orders } = await link.receive(() => ({ attempt: 1, check: 0 }), over);
        received.push(...orders.map(({ id }) => id));
      } catch {
        failures += 1;
      }
    expect([received, failures]).toEqual([['r-1-1'], 1]);
    expect(await query(url, 'SELECT state FROM manyhands.orders')).toEqual([{ state: 'accepted' }]);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
