import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type FleetProject, makeFleetProject } from '../support/fleet.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('The tools of an attempt on a host', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('are performed by the leader as that attempt: notes, locks, refusals, and a sub-task that gets the slot of its parent', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 0);
    await fleet.startHost('b2', { slots: 1 });
    const scenario = writeScenario(
      fleet,
      `
  - task: sub/*
    steps:
      - edit: { path: part.txt, write: "part" }
      - say: done
  - role: implement
    steps:
      - tool: { name: write_note, with: { key: api/errors, text: A note from a host } }
      - tool: { name: read_note, with: { key: api/errors } }
      - tool: { name: read_note, with: { key: api/errors, run: aaaaaaaa } }
        expect: fail
      - tool: { name: approve_run }
        expect: fail
      - tool: { name: lock_files, with: { paths: [b.txt], reason: rewriting } }
      - tool: { name: create_task, with: { title: Part, prompt: Do it } }
      - tool: { name: wait_for_tasks }
      - edit: { path: b.txt, write: "x" }
      - say: done
`,
    );
    const { project, env } = fleet;
    const ended = await project.mh(['job', 'work', '--rehearse', '--scenario', scenario, '--json'], { env });
    const run = RunDocument.parse(ended.json);
    expect([ended.code, run.tasks.map(({ status }) => status)]).toEqual([0, ['done', 'done']]);
    expect(run.tasks.map(({ host }) => host)).toEqual(['b2', 'b2']);
    const { stdout } = await project.mh(['logs', run.run], { env });
    expect(stdout).toContain(`"text":"A note from a host","author":"${run.run}-1-1"`);
    expect(await refusals(url)).toEqual([{ operation: 'read-note' }, { operation: 'approve_run' }]);
  });

  it('are answered after the leader was killed during a call, which has its effect once', async () => {
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, 0);
    await fleet.startHost('b2');
    const scenario = writeScenario(
      fleet,
      `
  - role: implement
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 90 } }
      - run: echo asked >> "$HOME/asked"
      - edit: { path: b.txt, write: "x" }
      - say: done
`,
    );
    const { project, env } = fleet;
    const first = project.start(['job', 'work', '--rehearse', '--scenario', scenario, '--json'], { env });
    const questions = () => query(url, "SELECT data FROM manyhands.events WHERE type = 'task.asked'");
    await expect.poll(async () => (await questions()).length, { timeout: 60_000 }).toBe(1);
    first.kill('SIGKILL');
    await first.done;
    const resumed = project.start(['resume', '--json'], { env });
    // The call is sent again, and awaits the answer: one that came before would be sent as a message.
    const repeated = () => query(url, "SELECT id FROM manyhands.commands WHERE body LIKE '%repeat-calls%'");
    await expect.poll(async () => (await repeated()).length, { timeout: 60_000 }).toBe(1);
    await pause(2_000);
    const answer = async () => (await project.mh(['answer', 'blue', '--detach'], { env })).code;
    await expect.poll(answer, { timeout: 60_000, interval: 1_000 }).toBe(0);
    expect((await resumed.done).code).toBe(0);
    expect(await questions()).toHaveLength(1);
    expect(readFileSync(join(project.root, 'asked'), 'utf8')).toBe('asked\n');
    const [{ run }] = (await project.mh(['ls', '--all', '--json'], { env })).json as [{ run: string }];
    expect((await project.mh(['show', run, '--json'], { env })).json).toMatchObject({ tasks: [{ attempts: 1 }] });
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

function writeScenario({ project }: FleetProject, plays: string): string {
  const file = join(project.root, 'scenario.yaml');
  writeFileSync(file, `plays:${plays}`);
  return file;
}

async function refusals(url: string): Promise<unknown[]> {
  const rows = await query(url, "SELECT data FROM manyhands.events WHERE type = 'run.call-refused' ORDER BY position");
  return rows.map(({ data }) => JSON.parse(String(data)));
}
