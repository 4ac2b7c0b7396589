import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

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
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

function bulk({ project, env }: FleetProject) {
  return project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], {
    env,
  });
}

async function documentOf({ project, env }: FleetProject) {
  const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
  return RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
}

function readLeaked({ project }: FleetProject): string {
  const file = `${project.root}/ran.leaked`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
