import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFleetProject, shiftedClock } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('A host whose clock is wrong', () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it.each([
    ['ahead', HOUR_MS + 60_000],
    ['behind', -HOUR_MS - 60_000],
  ])(
    'does not count the difference as the time of an attempt when it is an hour %s, nor write it in transcripts',
    async (_, offsetMs) => {
      const url = await postgres.createDatabase();
      await using fleet = await makeFleetProject(url, 2);
      await fleet.startHost('b2', { env: { NODE_OPTIONS: `--import=${shiftedClock(offsetMs)}` } });
      const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
      const ended = await fleet.project.mh(args, { env: fleet.env });
      expect([ended.code, fleet.ran().map(({ host }) => host)]).toEqual([0, ['b2', 'b2']]);
      const rows = await query(url, 'SELECT at FROM manyhands.transcript');
      expect(rows.length).toBeGreaterThan(0);
      for (const { at } of rows) expect(Math.abs(Number(at) - Date.now())).toBeLessThan(HOUR_MS / 4);
    },
  );
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
