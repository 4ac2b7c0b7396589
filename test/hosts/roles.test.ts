import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesWith, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('The login of a host', { timeout: 120_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('reaches only its own lease, orders and reports, performs attempts, and is of no use after it was revoked', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 3);
    const { project, env } = fleet;
    const add = async (name: string) => {
      const added = await project.mh(['host', 'add', name, '--json'], { env });
      expect([added.code, added.stderr]).toEqual([0, '']);
      return (added.json as { url: string }).url;
    };
    const own = await add('b2');
    const other = await add('b3');
    await query(url, hostRow('b3'));
    await query(url, "INSERT INTO manyhands.orders VALUES ('x-1-1', 'b3', gen_random_uuid(), 'secret')");
    const refused = /permission denied|row-level security/;
    for (const statement of REFUSED) await expect(query(own, statement), statement).rejects.toThrow(refused);
    for (const statement of NOTHING) expect(await query(own, statement), statement).toEqual([]);
    await expect(query(other.replace(/_b3:/, '_b2:'), 'SELECT 1')).rejects.toThrow('password authentication failed');
    const second = await project.mh(['host', '--name', 'b2'], { env: { ...env, MANYHANDS_DATABASE_URL: other } });
    expect(second.stderr).toContain('The login of this URL is the host b3, and not b2');

    const host = await fleet.startHost('b2', { env: { MANYHANDS_DATABASE_URL: own } });
    const password = new URL(own).password;
    writeFileSync(`${project.root}/ran.say`, `I found ${own} and ${password}\n`);
    const run = await project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], { env });
    expect([run.code, fleet.ran().map(({ host: at }) => at)]).toEqual([0, ['b2', 'b2', 'b2']]);
    const { run: id } = run.json as { run: string };
    expect((await project.mh(['logs', id], { env })).stdout).toContain('I found');
    rmSync(`${project.root}/ran.say`);
    const raw = filesWith(project.root, password).filter((file) => !/\/(ran\.say|attempts\/.*)$/.test(file));
    expect(raw).toEqual([]);
    const others = project.alive().filter(({ pid }) => pid !== host.pid);
    expect(others.filter(({ pid }) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(own))).toEqual([]);

    expect((await project.mh(['host', 'revoke', 'b2'], { env })).stderr).toBe('The token of b2 is refused\n');
    const ended = await host.done;
    expect([ended.code, ended.stderr]).toEqual([3, expect.not.stringContaining('all rights of the server')]);
    await expect(query(own, 'SELECT 1')).rejects.toThrow(/authentication failed|not permitted/);
    expect((await project.mh(['host', 'revoke', 'b2'], { env })).code).toBe(3);
    expect(await query(url, "SELECT rolname FROM pg_roles WHERE rolname LIKE 'mh\\_%\\_b2'")).toEqual([]);
    expect((await project.mh(['host', 'remove', 'b2'], { env })).stderr).toContain('is alive');
    await query(url, "UPDATE manyhands.hosts SET expires_at = now() WHERE name = 'b2'");
    expect((await project.mh(['host', 'remove', 'b2'], { env })).stderr).toBe('b2 is forgotten\n');

    // Who may not remove logins does not forget the host either.
    await query(url, "CREATE ROLE plain LOGIN PASSWORD 'plain'");
    await query(url, 'GRANT USAGE ON SCHEMA manyhands TO plain');
    await query(url, 'GRANT ALL ON ALL TABLES IN SCHEMA manyhands TO plain');
    const plain = { ...env, MANYHANDS_DATABASE_URL: url.replace('manyhands@', 'plain:plain@') };
    expect((await project.mh(['host', 'remove', 'b3'], { env: plain })).code).not.toBe(0);
    expect(await query(url, "SELECT name FROM manyhands.hosts WHERE name = 'b3'")).toEqual([{ name: 'b3' }]);

    // A login of a host that never started can be forgotten, too.
    expect(await project.mh(['host', 'add', 'b3'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('note: 127.0.0.1 is each machine itself'),
    });
    expect((await project.mh(['host', 'remove', 'b3'], { env })).stderr).toBe('b3 is forgotten\n');
    expect((await project.mh(['host', 'remove', 'b3'], { env })).stderr).toContain('There is no host b3');
  });

  it('is revoked: its agents are ended before their tasks start elsewhere', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 1);
    const { project, env } = fleet;
    const { url: own } = (await project.mh(['host', 'add', 'b2', '--json'], { env })).json as { url: string };
    fleet.hold(true);
    const host = await fleet.startHost('b2', { env: { MANYHANDS_DATABASE_URL: own } });
    const running = project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], { env });
    await expect.poll(() => fleet.ran().length).toBe(1);
    await fleet.startHost('b3');
    const began = performance.now();
    expect((await project.mh(['host', 'revoke', 'b2'], { env })).code).toBe(0);
    expect((await host.done).code).toBe(3);
    expect(performance.now() - began).toBeLessThan(5_000);
    await expect.poll(() => fleet.ran().length, { timeout: 60_000 }).toBe(2);
    fleet.hold(false);
    expect((await running).code).toBe(0);
    expect(readFileSync(`${project.root}/ran.paid`, 'utf8')).not.toContain('together');
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

const REFUSED = [
  'SELECT * FROM manyhands.events',
  'SELECT * FROM manyhands.transcript',
  'SELECT * FROM manyhands.blobs',
  'SELECT * FROM manyhands.installation',
  'UPDATE manyhands.installation SET epoch = epoch + 1',
  'SELECT * FROM manyhands.host_roles',
  'SELECT body FROM manyhands.reports',
  'DELETE FROM manyhands.orders',
  "UPDATE manyhands.orders SET host = 'b2'",
  hostRow('b4'),
  "INSERT INTO manyhands.reports VALUES ('x-1-1', 1, 'b3', gen_random_uuid(), '')",
  "INSERT INTO manyhands.reports VALUES ('x-1-1', 1, 'b2', gen_random_uuid(), '')",
  "INSERT INTO manyhands.commands (id, host, instance, body) VALUES ('x', 'b3', gen_random_uuid(), '')",
  'CREATE TABLE manyhands.mine (a int)',
  'CREATE ROLE mine',
];

const NOTHING = [
  "SELECT * FROM manyhands.hosts WHERE name = 'b3'",
  "UPDATE manyhands.hosts SET draining = true WHERE name = 'b3' RETURNING name",
  'SELECT * FROM manyhands.orders',
  "UPDATE manyhands.orders SET state = 'accepted' RETURNING id",
  'SELECT * FROM manyhands.commands',
];

function hostRow(name: string): string {
  return `INSERT INTO manyhands.hosts (name, registration, expires_at) VALUES ('${name}', '{}', now())`;
}
