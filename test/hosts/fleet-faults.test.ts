import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultyFleet, makeNetworks } from '../support/faulty-fleet.ts';
import { type HostNetwork, WITHOUT_NETWORKS } from '../support/host-network.ts';
import { type Postgres, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { randomFrom } from '../support/random-from.ts';

const HOSTS = 3;
const ITEMS = Number(process.env.MANYHANDS_FAULT_ITEMS ?? 200);
const SEEDS = (process.env.MANYHANDS_FAULT_SEEDS ?? '1').split(',').map(Number);
const WITHOUT = WITHOUT_POSTGRES ?? WITHOUT_NETWORKS;

type Fault = { what: string; times: number; inject(fleet: FaultyFleet, random: () => number): Promise<void> };

const FAULTS: readonly Fault[] = [
  { what: 'the leader is killed', times: 4, inject: async (fleet) => fleet.killLeader() },
  { what: 'a host is killed', times: 3, inject: async (fleet) => fleet.killHost() },
  { what: 'an agent is killed', times: 6, inject: async (fleet) => fleet.killAgent() },
  ...([5, 25, 60] as const).map((seconds) => ({
    what: `a host is cut off for ${seconds} s`,
    times: seconds === 5 ? 3 : 1,
    inject: (fleet: FaultyFleet) => fleet.cutHost('both', seconds),
  })),
  { what: 'what a host sends is lost for 25 s', times: 1, inject: (fleet) => fleet.cutHost('sent', 25) },
  { what: 'what a host should receive is lost for 25 s', times: 1, inject: (fleet) => fleet.cutHost('received', 25) },
  {
    what: 'PostgreSQL is restarted every 10 s',
    times: 3,
    inject: async (fleet, random) => {
      await pause(10_000);
      await fleet.postgres.restart(random() < 0.5 ? 'SIGQUIT' : 'SIGINT');
    },
  },
  {
    what: 'the leader is paused for 60 s while another server takes over',
    times: 1,
    inject: (fleet) => fleet.pauseLeader(60),
  },
  {
    what: 'the leader is killed and a server that stands by takes over, and is killed too',
    times: 1,
    inject: (fleet) => fleet.replaceLeader(25),
  },
  { what: 'a host is of the release before', times: 1, inject: (fleet) => fleet.changeRelease(-1) },
  { what: 'a host is two releases older', times: 1, inject: (fleet) => fleet.changeRelease(-2) },
  ...(['down', 'slow', 'refuses'] as const).map((how) => ({
    what: `the repository of the hosts ${how === 'refuses' ? how : `is ${how}`}`,
    times: 2,
    inject: (fleet: FaultyFleet) => fleet.disturbGit(how, 8),
  })),
];

describe.skipIf(WITHOUT !== undefined)(
  'A run on hosts is done once, and nothing is lost or left',
  { timeout: 900_000 },
  () => {
    let networks: HostNetwork[];
    let postgres: Postgres;

    beforeAll(async () => {
      networks = makeNetworks(HOSTS);
      postgres = await startPostgres({ addresses: networks.map(({ server }) => server) });
    });

    afterAll(async () => {
      await postgres[Symbol.asyncDispose]();
      for (const network of networks) network[Symbol.dispose]();
    });

    for (const { what, times, inject } of FAULTS)
      it.each(SEEDS)(`although ${what} (seed %i)`, async (seed) => {
        const random = randomFrom(seed);
        await using fleet = await FaultyFleet.start(postgres, networks, { items: ITEMS, hosts: HOSTS, random });
        for (let time = 0; time < times; time += 1) {
          fleet.requireRunning();
          await inject(fleet, random);
          await pause(500 + random() * 2_500);
        }
        expect(await fleet.violations()).toEqual([]);
      });

    it.each(SEEDS)('although the disk of PostgreSQL is full (seed %i)', async (seed) => {
      const random = randomFrom(seed);
      const addresses = networks.map(({ server }) => server);
      await using full = await startPostgres({ addresses, diskMb: 256 });
      await using fleet = await FaultyFleet.start(full, networks, { items: ITEMS, hosts: HOSTS, random });
      for (const seconds of [3, 12]) {
        await full.fillDisk(seconds);
        await pause(2_000 + random() * 3_000);
      }
      expect(await fleet.violations()).toEqual([]);
    });

    it.each(SEEDS)('although the clocks of its hosts are off by an hour (seed %i)', async (seed) => {
      const random = randomFrom(seed);
      const clockOffsetMs = (seed % 2 === 0 ? -1 : 1) * 3_600_000;
      const options = { items: ITEMS, hosts: HOSTS, random, clockOffsetMs };
      await using fleet = await FaultyFleet.start(postgres, networks, options);
      expect(await fleet.violations()).toEqual([]);
    });
  },
);

it.runIf(WITHOUT !== undefined)(`is not tested: ${WITHOUT}`, () => {});
