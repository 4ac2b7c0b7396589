import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atTerminal } from '../support/attached.ts';
import { makeFleetProject } from '../support/fleet.ts';
import { type Postgres, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('Labels', { timeout: 180_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it('send an item of a work file, or a whole run, to hosts that have them', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 2);
    const { project, env } = fleet;
    const items = [
      { id: 'a', prompt: 'Write a', files: ['made/a.txt'], labels: ['gpu'] },
      { id: 'b', prompt: 'Write b', files: ['made/b.txt'], labels: ['mac'] },
    ];
    writeFileSync(join(project.repo, 'labelled.jsonl'), items.map((item) => JSON.stringify(item)).join('\n'));
    await fleet.startHost('b2', { args: ['--labels', 'mac,large'] });
    await fleet.startHost('b3', { args: ['--labels', 'gpu'] });
    const agent = ['--agent', 'command:./agent.sh', '--json'];
    expect((await project.mh(['bulk', 'run', 'labelled.jsonl', ...agent], { env })).code).toBe(0);
    expect(fleet.ran()).toEqual(
      expect.arrayContaining([
        { task: 'item/1', host: 'b3' },
        { task: 'item/2', host: 'b2' },
      ]),
    );
    const [{ run }] = (await project.mh(['ls', '--json'], { env })).json as [{ run: string }];
    expect((await project.mh(['show', run], { env })).stdout).toMatch(/agent\S* on b3/);
    const interactive = ['job', '--interactive', '--detach', 'Look', '--agent', 'command:./agent.sh'];
    const refused = await project.mh(interactive, { env });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('agents on hosts have no terminal')]);
    const odd = await project.mh(['host', '--name', 'b4', '--labels', 'a/b'], { env });
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('--labels a/b: each must be 1 to 40 letters')]);
    const whole = ['bulk', 'run', 'items.jsonl', ...agent, '--label', 'large', '--label', 'mac'];
    expect((await project.mh(whole, { env })).code).toBe(0);
    expect(fleet.ran().slice(2)).toMatchObject([{ host: 'b2' }, { host: 'b2' }]);
  });

  it('give no terminal: who attaches to an agent on a host is told what to do instead', async () => {
    await using fleet = await makeFleetProject(await postgres.createDatabase(), 2);
    const { project, env } = fleet;
    await fleet.startHost('b2');
    fleet.hold(true);
    const start = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'];
    const running = project.start(start, { env });
    await expect.poll(() => fleet.ran().length).toBe(2);
    const [{ run }] = (await project.mh(['ls', '--json'], { env })).json as [{ run: string }];
    for (const task of [[], ['item/1']]) {
      const attached = atTerminal(project, ['attach', run, ...task], env);
      expect(await attached.ended).toBe(3);
      const shown = attached.shown().replaceAll(/\s+/g, ' ');
      expect(shown).toMatch(/on (the host )?b2/);
      expect(shown).toContain(
        `manyhands logs ${run}, and send it a message with manyhands send ${run} item/1 "<message>"`,
      );
    }
    expect((await project.mh(['send', run, 'item/1', 'Go on'], { env })).code).toBe(0);
    fleet.hold(false);
    expect((await running.done).code).toBe(0);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
