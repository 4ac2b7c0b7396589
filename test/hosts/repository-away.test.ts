import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, filesWith, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

/** Accepts what the leader pushes, and nothing of a host. */
const REFUSES_WORK = `#!/bin/sh
while read old new ref; do
  case "$ref" in refs/manyhands/attempts/*|refs/manyhands/late/*) echo 'no more space for it' >&2; exit 1;; esac
done
`;

/** Git on a host whose network does not reach the repository while a file is there. */
const GIT_WITHOUT_NETWORK = `#!/bin/sh
for arg; do
  if [ "$arg" = fetch ] && [ -e "$HOME/ran.away" ]; then
    echo "ssh: connect to host exchange port 22: Connection timed out" >&2
    echo x >> "$HOME/ran.tries"
    exit 128
  fi
done
PATH="\${PATH#*:}"
exec git "$@"
`;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('The repository of the hosts', { timeout: 240_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('that refuses the work of an attempt blocks its task, stops no other one, and gets the work when it accepts it', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 1);
    const { project, env, exchange } = fleet;
    const hook = join(exchange, 'hooks', 'pre-receive');
    writeFileSync(hook, REFUSES_WORK, { mode: 0o755 });
    const first = await fleet.startHost('b2');
    expect((await bulk(fleet)).code).not.toBe(0);
    const document = await documentOf(fleet);
    expect(document.tasks).toMatchObject([
      {
        status: 'blocked',
        reason: expect.stringMatching(/hosts\.git.* did not accept its work.*no more space for it/s),
      },
    ]);
    first.kill('SIGKILL');
    await first.done;

    const second = await fleet.startHost('b2');
    await second.received('was left by an earlier process, and could not be saved');
    const job = project.start(['job', 'Write it', '--agent', 'command:./agent.sh'], { env });
    await expect.poll(() => fleet.ran().length).toBe(2);
    const [latest] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
    expect((await project.mh(['cancel', latest.run], { env })).code).toBe(0);
    await job.done;
    second.kill('SIGTERM');
    expect((await second.done).code).toBe(0);

    rmSync(hook);
    await fleet.startHost('b2');
    const late = expect.objectContaining({ ref: `refs/manyhands/late/${document.run}-1-1/1`, landed: false });
    await expect.poll(() => salvage(fleet), { interval: 500 }).toContainEqual(late);
    expect(filesWith(join(project.root, 'machine-b2', 'hosts', 'b2', 'orders'), document.run)).toEqual([]);
  });

  it('that a host does not reach is waited for, and blocks no task', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 2);
    isAway(fleet, true);
    await fleet.startHost('b2', { env: withoutNetwork(fleet) });
    const running = bulk(fleet);
    await expect.poll(() => existsSync(join(fleet.project.root, 'ran.tries'))).toBe(true);
    await pause(15_000);
    isAway(fleet, false);
    expect((await running).code).toBe(0);
    expect((await documentOf(fleet)).tasks.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  it('that a host does not reach when it is stopped leaves the check and the attempt to another host', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 1);
    const env = withoutNetwork(fleet);
    const tries = join(fleet.project.root, 'ran.tries');
    const startAndStop = async (name: string) => {
      isAway(fleet, true);
      const host = await fleet.startHost(name, { env });
      await expect.poll(() => existsSync(tries)).toBe(true);
      host.kill('SIGTERM');
      expect((await host.done).code).toBe(0);
      rmSync(tries);
      isAway(fleet, false);
    };
    const started = async (type: string) =>
      (await query(url, 'SELECT 1 FROM manyhands.events WHERE type = $1', [type])).length;
    const running = bulk(fleet);
    await startAndStop('b2');
    expect([(await started('check.started')) > 0, await started('attempt.started')]).toEqual([true, 0]);
    await fleet.startHost('checks', { env, args: ['--agents', 'rehearsal'] });
    await expect.poll(() => started('run.base-checked')).toBeGreaterThan(0);
    await startAndStop('b3');
    expect([(await started('attempt.started')) > 0, fleet.ran()]).toEqual([true, []]);
    await fleet.startHost('b4', { env });
    expect((await running).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(['b4']);
  });

  it('gets the work of a host that loses its lease, from the same process', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 1);
    fleet.hold(true);
    const lost = await fleet.startHost('b2');
    const running = bulk(fleet);
    await expect.poll(() => fleet.ran().length).toBe(1);
    await query(url, 'UPDATE manyhands.hosts SET instance = NULL');
    await lost.received('its work is saved as late work');
    expect((await lost.done).code).not.toBe(0);
    fleet.hold(false);
    await fleet.startHost('b3');
    expect((await running).code).toBe(0);
    const { run } = await documentOf(fleet);
    const late = expect.objectContaining({ ref: `refs/manyhands/late/${run}-1-1/1`, landed: false });
    await expect.poll(() => salvage(fleet), { interval: 500 }).toContainEqual(late);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

function bulk({ project, env }: FleetProject) {
  return project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], { env });
}

function withoutNetwork({ project }: FleetProject): Record<string, string> {
  const bin = join(project.root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), GIT_WITHOUT_NETWORK);
  chmodSync(join(bin, 'git'), 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}

function isAway({ project }: FleetProject, isTrue: boolean): void {
  const file = join(project.root, 'ran.away');
  if (isTrue) writeFileSync(file, '');
  else rmSync(file, { force: true });
}

async function salvage({ project, env }: FleetProject) {
  return (await project.mh(['salvage', '--json'], { env })).json;
}

async function documentOf({ project, env }: FleetProject) {
  const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
  return RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
}
