import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultyFleet, makeNetworks } from '../support/faulty-fleet.ts';
import { type HostNetwork, WITHOUT_NETWORKS } from '../support/host-network.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { randomFrom } from '../support/random-from.ts';

const HOSTS = 3;
const ITEMS = Number(process.env.MANYHANDS_FAULT_ITEMS ?? 200);
const SEEDS = (process.env.MANYHANDS_FAULT_SEEDS ?? '1').split(',').map(Number);
const WITHOUT = WITHOUT_POSTGRES ?? WITHOUT_NETWORKS;
const HOUR_MS = 3_600_000;
/** On both sides of what a leader and a host do with a task. */
const CRASH_POINTS = {
  servers: [
    ...['shared.writing', 'shared.written', 'shared.committed', 'shared.copying', 'ref.writing', 'ref.written'],
    ...['transfer.pushing', 'transfer.pushed', 'transfer.fetching', 'transfer.fetched', 'attempt.saved'],
    ...['attempt.ended', 'inspection.done', 'merge.committing', 'merge.committed', 'gate.recorded'],
    ...['branch.swapping', 'branch.swapped', 'branch.recorded'],
  ],
  hosts: [
    ...['attempt.claimed', 'workspace.creating', 'workspace.provisioned', 'process.spawned', 'attempt.recorded'],
    ...['attempt.going', 'attempt.exited', 'attempt.read', 'save.starting', 'save.committed', 'save.done'],
    ...['transfer.pushing', 'transfer.pushed', 'transfer.fetching', 'transfer.fetched', 'removal.renaming'],
    ...['checkout.created', 'check.starting', 'check.exited'],
  ],
};
const INTERRUPTED = "SELECT data FROM manyhands.events WHERE type = 'attempt.ended' AND data LIKE '%\"interrupted\"%'";

type Inject = (fleet: FaultyFleet, random: () => number) => Promise<void> | void;
type Fault = { times: number; inject: Inject };
type Group = {
  what: string;
  faults: readonly Fault[];
  /** The disk of PostgreSQL is of this size, so that it can be filled. */
  diskMb?: number;
  clockOffsetsMs?: readonly number[];
  crashPoints?: { servers: readonly string[]; hosts: readonly string[] };
  /** Every task is done by its first attempt. */
  keepsAttempts?: boolean;
};

const restart: Inject = async (fleet, random) => {
  await pause(10_000);
  await fleet.postgres.restart(random() < 0.5 ? 'SIGQUIT' : 'SIGINT');
};
const cut = (which: 'both' | 'sent' | 'received', seconds: number, times: number): Fault => ({
  times,
  inject: (fleet) => fleet.cutHost(which, seconds),
});
const git = (how: 'down' | 'slow' | 'refuses', seconds: number): Fault => ({
  times: 3,
  inject: (fleet) => fleet.disturbGit(how, seconds),
});

/** The leader and its hosts must not lose a lease by a cut that is shorter than the time after which a host ends its agents. */
const SHORT_CUTS = [cut('both', 10, 2), cut('sent', 10, 1), cut('received', 10, 1)];

/** Each group is one run, with its faults in an order of the seed. */
const GROUPS: readonly Group[] = [
  {
    what: 'leader, hosts and agents are killed',
    faults: [
      { times: 4, inject: (fleet) => fleet.killLeader() },
      { times: 5, inject: (fleet) => fleet.killHost() },
      { times: 12, inject: (fleet) => fleet.killAgent() },
    ],
  },
  {
    what: 'hosts are cut off for 5, 25 and 60 s, and in one direction',
    faults: [
      cut('both', 5, 3),
      cut('both', 25, 2),
      cut('both', 60, 1),
      cut('sent', 5, 1),
      cut('sent', 25, 1),
      cut('received', 5, 1),
      cut('received', 25, 1),
    ],
  },
  { what: 'hosts are cut off for 10 s, without losing an attempt', faults: SHORT_CUTS, keepsAttempts: true },
  { what: 'PostgreSQL is restarted every 10 s', faults: [{ times: 10, inject: restart }] },
  {
    what: 'the disk of PostgreSQL is full',
    diskMb: 256,
    faults: [3, 8, 15].map((seconds) => ({ times: 1, inject: (fleet) => fleet.postgres.fillDisk(seconds) })),
  },
  {
    what: 'of two servers the leader is paused for 60 s or killed, or both are killed',
    faults: [
      { times: 2, inject: (fleet) => fleet.pauseLeader(60) },
      { times: 2, inject: (fleet) => fleet.killLeader() },
      { times: 1, inject: (fleet) => fleet.killServers() },
    ],
  },
  {
    what: 'the repository of the hosts is down, slow, or refuses',
    faults: [git('down', 30), git('slow', 8), git('refuses', 8)],
  },
  {
    what: 'servers and hosts kill themselves at any point of their work',
    crashPoints: CRASH_POINTS,
    faults: [{ times: 1, inject: (fleet) => fleet.crash(20) }],
  },
  {
    what: 'clocks of hosts are off by an hour, and hosts are of an older release',
    clockOffsetsMs: [HOUR_MS, -HOUR_MS, 0],
    faults: [-1, -2].map((by) => ({ times: 1, inject: (fleet) => fleet.addHostOfRelease(by) })),
  },
];

describe.skipIf(WITHOUT !== undefined)(
  `A run of ${ITEMS} tasks on ${HOSTS} hosts is done once, and nothing is lost or left`,
  { timeout: 1_200_000, retry: 0 },
  () => {
    let networks: HostNetwork[];
    let postgres: Postgres;

    beforeAll(async () => {
      networks = makeNetworks(HOSTS);
      postgres = await startPostgres({ addresses: networks.map(({ server }) => server) });
    });

    afterAll(async () => {
      await postgres?.[Symbol.asyncDispose]();
      for (const network of networks) network[Symbol.dispose]();
    });

    for (const { what, faults, diskMb, keepsAttempts = false, ...options } of GROUPS)
      it.each(SEEDS)(`although ${what} (seed %i)`, async (seed) => {
        const random = randomFrom(seed);
        const addresses = networks.map(({ server }) => server);
        await using own = diskMb === undefined ? undefined : await startPostgres({ addresses, diskMb });
        await using fleet = await FaultyFleet.start(own ?? postgres, networks, { items: ITEMS, random, ...options });
        for (const inject of shuffled(faults, random)) {
          await inject(fleet, random);
          await pause(500 + random() * 2_500);
        }
        expect(await fleet.violations()).toEqual([]);
        if (keepsAttempts) expect(await query(fleet.url, INTERRUPTED)).toEqual([]);
      });
  },
);

it.runIf(WITHOUT !== undefined)(`is not tested: ${WITHOUT}`, () => {});

function shuffled(faults: readonly Fault[], random: () => number): Inject[] {
  return faults
    .flatMap(({ times, inject }) => Array.from({ length: times }, () => ({ inject, rank: random() })))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ inject }) => inject);
}
