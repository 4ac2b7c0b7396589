import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

/** Notes where it runs; waits while it is held; fails where the tree says so, with more output than is shown. */
const CHECK = `#!/bin/sh
echo "$PWD" >> "$HOME/checked"
while [ -e "$HOME/check.wait" ] && [ -e made ]; do sleep 0.05; done
[ -e made/bad ] || exit 0
seq 1 5000
exit 7
`;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('Checks on hosts', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('run there and nowhere else, and their evidence names the host and stays bound to the tree', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeChecked(url, 2);
    await fleet.startHost('b2');
    expect((await bulk(fleet)).code).toBe(0);
    expect(new Set(checkedOn(fleet))).toEqual(new Set(['b2']));
    const { tasks } = await documentOf(fleet);
    const evidence = tasks.flatMap((task) => task.evidence.filter(({ gate }) => gate === 'sh check.sh'));
    expect(evidence.length).toBeGreaterThan(0);
    for (const each of evidence)
      expect(each).toMatchObject({ verdict: 'pass', host: 'b2', tree: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const started = await query(url, "SELECT data FROM manyhands.events WHERE type = 'check.started'");
    expect(started.map(({ data }) => JSON.parse(String(data)))).toContainEqual(
      expect.objectContaining({ gate: 'sh check.sh', host: 'b2' }),
    );
    expect(await query(url, 'SELECT id FROM manyhands.orders')).toEqual([]);
  });

  it('that fail are repeated, and the leader keeps their complete output', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeChecked(url, 1, 'made/bad');
    await fleet.startHost('b2');
    expect((await bulk(fleet)).code).not.toBe(0);
    const [task] = (await documentOf(fleet)).tasks;
    const failed = task?.evidence.find(({ gate, verdict }) => gate === 'sh check.sh' && verdict === 'fail');
    expect(failed).toMatchObject({ exitCode: 7, host: 'b2', outputLines: 5000 });
    expect(failed?.outputFile).toContain(fleet.project.root);
    expect(failed?.outputFile).not.toContain('machine-b2');
    expect(
      readFileSync(failed?.outputFile ?? '', 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(5000);
  });

  it('of a killed host run again on another one', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeChecked(url, 1);
    const lost = await fleet.startHost('b2');
    hold(fleet, true);
    const running = bulk(fleet);
    await expect.poll(() => isChecking(fleet), { timeout: 60_000 }).toBe(true);
    await fleet.startHost('b3');
    lost.kill('SIGKILL');
    await expect.poll(() => checkedOn(fleet).includes('b3'), { timeout: 60_000 }).toBe(true);
    hold(fleet, false);
    expect((await running).code).toBe(0);
    expect((await documentOf(fleet)).tasks).toMatchObject([{ status: 'done', attempts: 1 }]);
  });

  it('of a killed leader are stopped, and the next one runs them again', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeChecked(url, 1);
    await fleet.startHost('b2');
    const { project, env } = fleet;
    hold(fleet, true);
    const first = project.start(ARGS, { env });
    await expect.poll(() => isChecking(fleet), { timeout: 60_000 }).toBe(true);
    const [before] = await query(url, "SELECT id FROM manyhands.orders WHERE kind = 'check'");
    first.kill('SIGKILL');
    await first.done;
    const resumed = project.mh(['bulk', 'resume', '--json'], { env });
    const isOnlyAnother = async () => {
      const orders = await query(url, "SELECT id FROM manyhands.orders WHERE kind = 'check' AND state = 'accepted'");
      return orders.length === 1 && orders[0]?.id !== before?.id;
    };
    await expect.poll(isOnlyAnother, { timeout: 60_000 }).toBe(true);
    await expect.poll(() => shellsOf(fleet), { timeout: 20_000 }).toBe(1);
    hold(fleet, false);
    expect((await resumed).code).toBe(0);
    expect((await documentOf(fleet)).tasks).toMatchObject([{ status: 'done', attempts: 1 }]);
    expect(fleet.ran()).toHaveLength(1);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

const ARGS = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];

async function makeChecked(url: string, items: number, file?: string): Promise<FleetProject> {
  const fleet = await makeFleetProject(url, items, { check: 'sh check.sh', files: { 'check.sh': CHECK } });
  if (file !== undefined)
    writeFileSync(`${fleet.project.repo}/items.jsonl`, JSON.stringify({ id: 'i0', prompt: 'Write it', files: [file] }));
  return fleet;
}

function bulk({ project, env }: FleetProject) {
  return project.mh(ARGS, { env });
}

/** Lets checks of candidates wait, or continue. */
function hold({ project }: FleetProject, isHeld: boolean): void {
  const file = `${project.root}/check.wait`;
  if (isHeld) writeFileSync(file, '');
  else rmSync(file);
}

/** The host of each check that ran. */
function checkedOn({ project }: FleetProject): string[] {
  const file = `${project.root}/checked`;
  const folders = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return folders.map((folder) => /\/machine-([^/]+)\//.exec(folder)?.[1] ?? 'server');
}

/** Whether a check of a candidate waits: one of the base has no files to wait for. */
function isChecking(fleet: FleetProject): boolean {
  return shellsOf(fleet) > 0;
}

function shellsOf({ project }: FleetProject): number {
  return project.alive().filter(({ command }) => command.trim() === 'sh check.sh').length;
}

async function documentOf({ project, env }: FleetProject) {
  const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
  return RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
}
