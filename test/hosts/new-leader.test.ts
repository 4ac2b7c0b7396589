import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, makeFleetProject } from '../support/fleet.ts';
import { lostCommits } from '../support/fleet-violations.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

const ITEMS = 3;

/** Where the leader is killed: each side of what it records about a commit. */
const POINTS = [
  'run.started:1',
  'transfer.pushing:2',
  'transfer.pushed:2',
  'transfer.fetched:1',
  'attempt.saved:1',
  'attempt.ended:1',
  'gate.recorded:1',
  'branch.swapping:1',
  'branch.swapped:1',
  'branch.recorded:1',
  'attempt.ended:3',
  'push.starting:1',
  'push.done:1',
];

describe.skipIf(WITHOUT_POSTGRES !== undefined)('A server with an empty disk', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it.each(POINTS)('continues the run of a leader that was killed at %s and lost its disk', async (point) => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, ITEMS);
    const { project, env } = fleet;
    const [first, second] = ['first', 'second'].map((name) => ({ ...env, MANYHANDS_HOME: join(project.root, name) }));
    const { root } = await addProject(fleet, first ?? {});
    const host = await fleet.startHost('b2');
    const args = ['bulk', 'run', join(project.repo, 'items.jsonl'), '--agent', `command:${agentOf(fleet)}`];
    const killed = await project.mh(args, { env: { ...first, MANYHANDS_CRASH: point }, cwd: root });
    expect([killed.signal, killed.stderr]).toEqual(['SIGKILL', expect.anything()]);
    await rm(join(project.root, 'first'), { recursive: true });
    await query(url, "UPDATE manyhands.installation SET expires_at = '-infinity'");
    const server = project.start(['serve', '--port', '0'], { env: second ?? {}, cwd: project.root });
    const list = async () =>
      (await project.mh(['ls', '--all', '--json'], { env: second ?? {}, cwd: project.root })).json;
    await expect.poll(list, { timeout: 90_000, interval: 500 }).toMatchObject([{ status: 'done' }]);
    const [{ run }] = (await list()) as [{ run: string }];
    const read = async (...command: string[]) =>
      (await project.mh([...command, '--json'], { env: second ?? {}, cwd: project.root })).json;
    const document = RunDocument.parse(await read('show', run));
    expect(document.tasks.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array.from({ length: ITEMS }, () => ['done', 1]),
    );
    expect(paid(fleet)).toHaveLength(ITEMS);
    const clone = root.replace('/first/', '/second/');
    const made = execFileSync('git', ['ls-tree', '-r', '--name-only', `mh/${run}`, 'made'], { cwd: clone });
    expect(String(made).trim().split('\n')).toHaveLength(ITEMS);
    expect(await read('salvage', run)).toHaveLength(ITEMS);
    expect(await lostCommits(url, fleet.exchange)).toEqual([]);
    for (const table of ['orders', 'reports'])
      expect(await query(url, `SELECT id FROM manyhands.${table}`)).toEqual([]);
    host.kill('SIGTERM');
    await host.done;
    await expect.poll(() => query(url, 'SELECT id FROM manyhands.commands')).toEqual([]);
    server.kill('SIGTERM');
    await server.done;
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

/** Adds the project by the URL of its repository, so that every machine can clone it. */
async function addProject({ project }: FleetProject, env: Record<string, string>): Promise<{ root: string }> {
  const remote = join(project.root, 'remote.git');
  project.git('clone', '--quiet', '--bare', project.repo, remote);
  const added = await project.mh(['project', 'add', remote, '--name', 'shop', '--json'], { env, cwd: project.root });
  return added.json as { root: string };
}

/** The agent outside of every repository, as a program that each host has. */
function agentOf({ project }: FleetProject): string {
  const file = join(project.root, 'programs', 'agent.sh');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, readFileSync(join(project.repo, 'agent.sh')), { mode: 0o755 });
  return file;
}

/** The attempts that an agent began. */
function paid({ project }: FleetProject): string[] {
  return readFileSync(join(project.root, 'ran.paid'), 'utf8').trim().split('\n');
}
