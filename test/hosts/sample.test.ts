import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultyFleet, makeNetworks } from '../support/faulty-fleet.ts';
import { type HostNetwork, WITHOUT_NETWORKS } from '../support/host-network.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { randomFrom } from '../support/random-from.ts';

const WITHOUT = WITHOUT_POSTGRES ?? WITHOUT_NETWORKS;
const ITEMS = 14;
const HOUR_MS = 3_600_000;

/** A sample of test/hosts, which npm run test:hosts runs with more tasks and every fault. */
describe.skipIf(WITHOUT !== undefined)('A run on two servers and two hosts', { timeout: 300_000 }, () => {
  let networks: HostNetwork[];
  let postgres: Postgres;
  let fleet: FaultyFleet;

  beforeAll(async () => {
    networks = makeNetworks(2);
    postgres = await startPostgres({ addresses: networks.map(({ server }) => server) });
    const random = randomFrom(1);
    fleet = await FaultyFleet.start(postgres, networks, { items: ITEMS, random, clockOffsetsMs: [HOUR_MS, 0] });
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
    for (const network of networks) network[Symbol.dispose]();
  });

  it('is done once, although its leader, a host, an agent and PostgreSQL are killed, and a host is cut off', async () => {
    fleet.killAgent();
    await fleet.killLeader();
    fleet.killHost();
    await fleet.cutHost('both', 3);
    await postgres.restart('SIGQUIT');
    expect(await fleet.violations()).toEqual([]);
  });

  it('is found to be wrong if a task, an attempt, a line, a commit or a process is there twice or not at all', async () => {
    const { project, exchange } = fleet.fleet;
    appendFileSync(join(project.root, 'ran.paid'), `${fleet.run}-1-1 alone\n${fleet.run}-1-1 together\n`);
    await query(
      fleet.url,
      `INSERT INTO manyhands.transcript (id, attempt, file, generation, start, part, at, kind, text)
       SELECT id + 1000000, attempt, file, generation, start, part, at, kind, text FROM manyhands.transcript
       WHERE text LIKE 'wrote %' ORDER BY id LIMIT 1`,
    );
    await query(
      fleet.url,
      `DELETE FROM manyhands.events WHERE position = (SELECT min(position) FROM manyhands.events WHERE type = 'tasks.landed')`,
    );
    await query(
      fleet.url,
      `INSERT INTO manyhands.orders (id, kind, host, instance, body, epoch)
       VALUES ('left', 'attempt', 'b0', gen_random_uuid(), '', 1)`,
    );
    project.git('update-ref', `refs/heads/mh/${fleet.run}`, 'main');
    for (const ref of execFileSync('git', ['-C', exchange, 'for-each-ref', '--format=%(refname)'], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean))
      execFileSync('git', ['-C', exchange, 'update-ref', '-d', ref]);
    execFileSync('git', ['-C', exchange, 'prune', '--expire=now']);
    const left = spawn('sleep', ['100'], { cwd: project.root });
    const found = (await fleet.violations()).join('\n');
    for (const expected of [
      /was paid \d times/,
      /two agents worked on one task/,
      /wrote made\/\d+.txt" is there 2 times/,
      /landed 0 times and failed 0 times/,
      /has gaps/,
      /order left is left/,
      /was added 0 times/,
      /commit \w+ is lost/,
      /left running: sleep 100/,
    ])
      expect(found).toMatch(expected);
    left.kill();
    await once(left, 'exit');
  });
});

it.runIf(WITHOUT !== undefined)(`is not tested: ${WITHOUT}`, () => {});
