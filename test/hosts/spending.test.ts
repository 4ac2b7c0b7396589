import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

/** Reports a cost again and again, and would be done only much later. */
const SLOW = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
for second in $(seq 60); do echo '{"usage":{"costUsd":3}}'; sleep 1; done
mkdir -p made; echo 1 > "$file"
`;
const FAST = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
mkdir -p made; echo 1 > "$file"
echo '{"usage":{"costUsd":3}}'
`;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('The spending caps of an agent', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('hold for attempts that run on several hosts at once', async () => {
    await using fleet = await makeFleet(2, { agent: SLOW, cap: 'spendUsd: 5' });
    await fleet.startHost('b2', { slots: 1 });
    await fleet.startHost('b3', { slots: 1 });
    const document = await runItems(fleet);
    expect(document.tasks.map(({ reason }) => reason ?? '').join('\n')).toContain('over its spending cap');
    expect(document.tasks.some(({ status }) => status === 'done')).toBe(false);
  });

  it('count what was spent today on other hosts', async () => {
    await using fleet = await makeFleet(1, { agent: FAST, cap: 'spendUsdPerDay: 5' });
    const first = await fleet.startHost('b2');
    expect((await runItems(fleet)).tasks).toMatchObject([{ status: 'done' }]);
    first.kill('SIGTERM');
    await first.done;
    await fleet.startHost('b3');
    expect((await runItems(fleet)).tasks).toMatchObject([
      { status: 'blocked', reason: expect.stringContaining('over its spending cap ($6.00 of $5.00 today)') },
    ]);
  });

  async function makeFleet(items: number, { agent, cap }: { agent: string; cap: string }): Promise<FleetProject> {
    const fleet = await makeFleetProject(await postgres.createDatabase(), items, { files: { 'agent.sh': agent } });
    const agents = `agents:\n  one: { kind: command, command: ./agent.sh, ${cap} }\n`;
    const limits = 'limits: { attempts: 1, retryDelaySeconds: 0 }\n';
    const file = `${fleet.project.root}/.config/manyhands/config.yaml`;
    writeFileSync(file, `hosts:\n  git: ${fleet.exchange}\n${agents}${limits}`);
    return fleet;
  }
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

async function runItems({ project, env }: FleetProject) {
  await project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'one'], { env });
  const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
  return RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
}
