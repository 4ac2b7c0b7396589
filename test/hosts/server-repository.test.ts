import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesWith, makeFleetProject } from '../support/fleet.ts';
import { lostCommits } from '../support/fleet-violations.ts';
import { freePort, type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('With hosts.git: server', { timeout: 120_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('hosts exchange commits with the server that leads, no other server stands by, and none takes its runs over', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 3);
    const { project, env } = fleet;
    const port = await freePort();
    const settings = join(project.root, '.config', 'manyhands', 'config.yaml');
    writeFileSync(settings, `hosts:\n  git: server\n  address: http://127.0.0.1:${port}/\n`);
    const server = project.start(['serve', '--port', String(port)], { env });
    await expect.poll(async () => (await project.mh(['ls', '--all'], { env })).code).toBe(0);
    await fleet.startHost('b2');
    const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
    const ended = await project.mh(args, { env });
    expect([ended.code, fleet.ran().map(({ host }) => host)]).toEqual([0, ['b2', 'b2', 'b2']]);
    const exchange = join(project.home, 'exchange.git');
    expect(await lostCommits(url, exchange)).toEqual([]);

    const other = { ...env, MANYHANDS_HOME: join(project.root, 'second') };
    const second = await project.mh(['serve', '--port', '0'], { env: other });
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('its commits are on its own disk')]);

    fleet.hold(true);
    const again = project.start(['job', 'Write it', '--agent', 'command:./agent.sh'], { env });
    await expect.poll(() => fleet.ran().length, { timeout: 30_000 }).toBeGreaterThan(3);

    // While an agent works, the token of its order is in the order, and not where the agent can read.
    const machine = join(project.root, 'machine-b2', 'hosts', 'b2');
    const [order = '', ...others] = filesWith(machine, 'mhh_');
    expect([dirname(order), others]).toEqual([join(machine, 'orders'), []]);
    const { git } = JSON.parse(readFileSync(order, 'utf8'));
    expect(listRefs(git)).toHaveLength(git.commits.length);
    await query(url, 'UPDATE manyhands.hosts SET instance = NULL');
    await expect.poll(() => listRefs(git)).toBe('refused');

    again.kill('SIGKILL');
    await again.done;
    server.kill('SIGKILL');
    await server.done;
    await project.endAll();
    await rm(project.home, { recursive: true });
    await query(url, "UPDATE manyhands.installation SET expires_at = '-infinity'");
    const taking = project.start(['serve', '--port', '0'], { env: other });
    await taking.received('its commits are there only, because hosts.git is server');
    taking.kill('SIGTERM');
    await taking.done;
    fleet.hold(false);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

/** The refs that the token of an order shows. */
function listRefs({ url, token }: { url: string; token: string }): string[] | 'refused' {
  const header = `http.extraHeader=Authorization: Bearer ${token}`;
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stdout } = spawnSync('git', ['-c', header, 'ls-remote', url], { env, encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n') : 'refused';
}
