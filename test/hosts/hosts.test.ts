import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, filesWith, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('Hosts', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('perform the attempts of a run, whose work lands with its transcripts', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 5);
    const host = await fleet.startHost('b2');
    const ended = await bulk(fleet);
    expect(ended.stderr.split('\n').filter((line) => /error|hint/.test(line))).toEqual([]);
    expect(ended.code).toBe(0);
    const document = await documentOf(fleet);
    expect(document.tasks.map(({ status }) => status)).toEqual(Array(5).fill('done'));
    expect(fleet.project.git('ls-tree', '-r', '--name-only', `mh/${document.run}`, 'made').split('\n')).toHaveLength(5);
    expect(fleet.ran()).toHaveLength(5);
    const logs = await fleet.project.mh(['logs', document.run], { env: fleet.env });
    expect(logs.stdout.match(/wrote made\/\d\.txt/g)).toHaveLength(5);
    expect(readLeaked(fleet)).toBe('');
    const list = await fleet.project.mh(['hosts', '--json'], { env: fleet.env });
    expect(list.json).toMatchObject([{ name: 'b2', status: 'up', busy: 0, attempts: [] }]);
    host.kill('SIGTERM');
    expect((await host.done).code).toBe(0);
    expect((await fleet.project.mh(['hosts', '--json'], { env: fleet.env })).json).toMatchObject([{ status: 'lost' }]);
  });

  it('start a task of a killed host again, whose agent ends, and offer its late work', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 1);
    fleet.hold(true);
    const lost = await fleet.startHost('b2');
    const running = bulk(fleet);
    await expect.poll(() => fleet.ran().length, { timeout: 30_000 }).toBe(1);
    const killedAt = Date.now();
    lost.kill('SIGKILL');
    await expect.poll(() => agentsOf(fleet, 'b2'), { timeout: 25_000 }).toBe(0);
    await fleet.startHost('b3');
    await expect.poll(() => fleet.ran().length, { timeout: 60_000 }).toBe(2);
    expect(Date.now() - killedAt).toBeLessThan(45_000);
    fleet.hold(false);
    expect((await running).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(['b2', 'b3']);
    const document = await documentOf(fleet);
    const again = await fleet.startHost('b2');
    const salvage = async () => (await fleet.project.mh(['salvage', '--json'], { env: fleet.env })).json;
    const late = expect.objectContaining({ ref: `refs/manyhands/late/${document.run}-1-1/1`, landed: false });
    await expect.poll(salvage, { timeout: 30_000, interval: 500 }).toContainEqual(late);
    again.kill('SIGTERM');
    expect((await again.done).code).toBe(0);
  });

  it('keep their agents while the leader is killed, and the next engine continues with them', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 3);
    fleet.hold(true);
    await fleet.startHost('b2');
    const { project, env } = fleet;
    const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
    const first = project.start(args, { env });
    await expect.poll(() => fleet.ran().length, { timeout: 30_000 }).toBe(3);
    first.kill('SIGKILL');
    await first.done;
    fleet.hold(false);
    const resumed = await project.mh(['bulk', 'resume', '--json'], { env });
    expect([resumed.code, fleet.ran()]).toMatchObject([0, { length: 3 }]);
    expect((await documentOf(fleet)).tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  it('get the values of variables from the leader, in memory only, and use no agent that they do not offer', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 2);
    const { project, env, exchange } = fleet;
    const canary = 'canary-5f2b71';
    const agent = `agents:\n  mine:\n    kind: command\n    command: ./agent.sh\n    env:\n      MINE_KEY: ${canary}\n`;
    writeFileSync(`${project.root}/.config/manyhands/config.yaml`, `hosts:\n  git: ${exchange}\n${agent}`);
    // The host has settings of its own, without the value.
    const settings = { XDG_CONFIG_HOME: `${project.root}/none` };
    await fleet.startHost('b2', { env: settings });
    await fleet.startHost('b3', { env: settings, args: ['--agents', 'rehearsal'] });
    const args = ['bulk', 'run', 'items.jsonl', '--agent', 'mine', '--json'];
    expect((await project.mh(args, { env })).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(['b2', 'b2']);
    expect(readFileSync(`${project.root}/ran.seen`, 'utf8')).toContain(`MINE_KEY=${canary}`);
    for (const folder of [`${project.root}/machine-b2`, exchange, postgres.data])
      expect(filesWith(folder, canary)).toEqual([]);
  });

  it('have the agents: the server needs none, and a run waits for a host that has them', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 1);
    const { project, env, exchange } = fleet;
    const bin = `${project.root}/only-here`;
    mkdirSync(bin);
    copyFileSync(`${project.repo}/agent.sh`, `${bin}/hand-agent`);
    chmodSync(`${bin}/hand-agent`, 0o755);
    const agent = 'agents:\n  hand:\n    kind: command\n    command: hand-agent\n';
    writeFileSync(`${project.root}/.config/manyhands/config.yaml`, `hosts:\n  git: ${exchange}\n${agent}`);
    const args = ['bulk', 'run', 'items.jsonl', '--agent', 'hand', '--json'];
    const running = project.start(args, { env });
    await running.received('No host has hand now');
    await fleet.startHost('b2', { env: { PATH: `${bin}:${process.env.PATH}` } });
    expect((await running.done).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(['b2']);
    const doctor = await project.mh(['doctor', '--json'], { env });
    expect(doctor.json).toContainEqual(expect.objectContaining({ name: 'agent hand', ok: true, detail: 'on b2' }));
  });

  it('refuse a server that is two releases newer, and get no orders where they are', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 2);
    const { project, env } = fleet;
    await query(url, 'UPDATE manyhands.installation SET release = release + 2');
    const refused = await project.mh(['host', '--name', 'b1'], { env });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('2 releases newer than this program')]);
    await query(url, 'UPDATE manyhands.installation SET release = release - 1');
    await fleet.startHost('b2');
    await fleet.startHost('b3');
    const older = "jsonb_set(registration::jsonb, '{release}', '-1')::text";
    await query(url, `UPDATE manyhands.hosts SET registration = ${older} WHERE name = 'b2'`);
    expect((await bulk(fleet)).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(['b3', 'b3']);
    const list = await project.mh(['hosts', '--json'], { env });
    expect(list.json).toMatchObject([
      { name: 'b2', status: 'incompatible' },
      { name: 'b3', status: 'up' },
    ]);
  });

  it('of a newer release may send reports of other kinds; one that cannot be read ends the agent before the task', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 1);
    await fleet.startHost('b2');
    await replaceReport(url, 1, '{"kind":"forecast","rain":true}');
    expect((await bulk(fleet)).code).toBe(0);
    fleet.hold(true);
    await replaceReport(url, 2, '{"kind":"transcript","rows":7}');
    const { project, env } = fleet;
    writeFileSync(`${project.repo}/more.jsonl`, '{"id":"m","prompt":"Write","files":["made/m.txt"]}\n');
    const ended = await project.mh(['bulk', 'run', 'more.jsonl', '--agent', 'command:./agent.sh'], { env });
    expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('b2 sent a report that cannot be read')]);
    expect(project.alive().filter(({ command }) => command.includes('agent.sh'))).toEqual([]);
    expect(fleet.ran()).toHaveLength(2);
    for (const table of ['orders', 'reports'])
      expect(await query(url, `SELECT id FROM manyhands.${table}`)).toEqual([]);
  });

  it('on which nothing can begin leave the tasks to others, and rest', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 8);
    const { project } = fleet;
    await fleet.startHost('b2', { slots: 8 });
    await fleet.startHost('b3', { slots: 1 });
    const noChecks = "jsonb_set(registration::jsonb, '{checks}', '0')::text";
    await query(url, `UPDATE manyhands.hosts SET registration = ${noChecks} WHERE name = 'b2'`);
    const workspaces = `${project.root}/machine-b2/hosts/b2/workspaces`;
    rmSync(workspaces, { recursive: true, force: true });
    writeFileSync(workspaces, 'no folder');
    expect((await bulk(fleet)).code).toBe(0);
    expect(fleet.ran().map(({ host }) => host)).toEqual(Array(8).fill('b3'));
    const limited = await query(url, "SELECT DISTINCT stream FROM manyhands.events WHERE type = 'account.rested'");
    expect(limited).toEqual([{ stream: 'account/agent@b2' }]);
    const failed = await query(url, "SELECT data FROM manyhands.events WHERE type = 'attempt.ended'");
    expect(failed.length).toBeLessThanOrEqual(16);
  });

  it('never perform what was cancelled before they accepted it', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 1);
    const { project, env } = fleet;
    fleet.hold(true);
    const host = await fleet.startHost('b2');
    await addTrigger(url, 'UPDATE ON manyhands.orders', "IF new.kind = 'attempt' THEN RETURN NULL; END IF");
    const running = bulk(fleet);
    const sent = () => query(url, "SELECT id FROM manyhands.orders WHERE state = 'sent' AND kind = 'attempt'");
    await expect.poll(sent).toHaveLength(1);
    expect((await project.mh(['cancel'], { env })).code).toBe(0);
    await running;
    expect((await documentOf(fleet)).status).toBe('cancelled');
    host.kill('SIGTERM');
    await host.done;
    expect(fleet.ran()).toEqual([]);
  });

  it('start again at once after a start that did not reach the database', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 1);
    const first = await fleet.startHost('b2');
    first.kill('SIGKILL');
    await first.done;
    await postgres.stop();
    const env = { ...fleet.env, MANYHANDS_HOME: `${fleet.project.root}/machine-b2` };
    expect((await fleet.project.mh(['host', '--name', 'b2'], { env })).code).not.toBe(0);
    await postgres.start();
    const second = await fleet.startHost('b2');
    second.kill('SIGTERM');
    expect((await second.done).code).toBe(0);
  });

  it('refuse a second process of a name that is alive', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 1);
    await fleet.startHost('b2');
    const second = await fleet.project.mh(['host', '--name', 'b2'], { env: fleet.env });
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('Another process is the host b2')]);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

function bulk({ project, env }: FleetProject) {
  return project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], {
    env,
  });
}

/** Changes one report of each attempt, as another release would have sent it. */
async function replaceReport(url: string, sequence: number, body: string): Promise<void> {
  const isChanged = `new.sequence = ${sequence} AND new.id NOT LIKE '%-check-%'`;
  const change = `IF ${isChanged} THEN new.body := convert_to('${body}', 'UTF8'); END IF`;
  await addTrigger(url, 'INSERT ON manyhands.reports', change);
}

async function addTrigger(url: string, before: string, statement: string): Promise<void> {
  const body = `BEGIN ${statement}; RETURN new; END`;
  await query(url, `CREATE OR REPLACE FUNCTION manyhands.tested() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`);
  await query(
    url,
    `CREATE OR REPLACE TRIGGER tested BEFORE ${before} FOR EACH ROW EXECUTE FUNCTION manyhands.tested()`,
  );
}

function agentsOf({ project }: FleetProject, host: string): number {
  return project
    .alive()
    .filter(({ command }) => command.includes(`machine-${host}`) && !command.includes('manyhands.mjs')).length;
}

async function documentOf({ project, env }: FleetProject) {
  const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
  return RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
}

function readLeaked({ project }: FleetProject): string {
  const file = `${project.root}/ran.leaked`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
