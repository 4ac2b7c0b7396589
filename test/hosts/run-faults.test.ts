import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { randomFrom } from '../support/random-from.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const ITEMS = 40;
/** Notes that it ran, once for each attempt that is paid for, and writes the file of its item. */
const AGENT = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
echo "$MANYHANDS_TASK" >> "$HOME/ran"
env | grep postgresql >> "$HOME/leaked"
mkdir -p "$(dirname "$file")"
sleep 0.2
echo "line of $MANYHANDS_TASK" > "$file"
`;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('A run on PostgreSQL', { timeout: 300_000 }, () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  it.each([1, 2, 3, 4])(
    'is done once although PostgreSQL and the engine are killed again and again (seed %i)',
    async (seed) => {
      const env = { MANYHANDS_DATABASE_URL: await postgres.createDatabase() };
      await using project = await makeScratch({ files: { 'agent.sh': AGENT }, check: 'true' });
      writeFileSync(join(project.repo, 'items.jsonl'), itemLines());
      const random = randomFrom(seed);
      let running = project.start(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json'], { env });
      let isOver = false;
      let done = running.done.finally(() => {
        isOver = true;
      });
      while (ran(project).length === 0) await pause(50);
      for (let fault = 0; fault < 8; fault += 1) {
        await pause(300 + random() * 1_500);
        if (random() < 0.6) await postgres.restart(random() < 0.5 ? 'SIGQUIT' : 'SIGINT');
        else if (!isOver) {
          running.kill('SIGKILL');
          await done;
          isOver = false;
          running = project.start(['bulk', 'resume', '--json'], { env });
          done = running.done.finally(() => {
            isOver = true;
          });
        }
      }
      const ended = await done;
      const list = await project.mh(['ls', '--json'], { env });
      // An engine that was killed between the end of its run and its own leaves nothing to resume.
      const isOverBefore = ended.stdout.includes('has ended (done)');
      expect(isOverBefore ? 0 : ended.code, ended.stdout).toBe(0);
      expect(ended.stderr.split('\n').filter((line) => /error|hint/.test(line))).toEqual([]);
      expect(list.json).toMatchObject([{ status: 'done' }]);
      const [{ run }] = list.json as [{ run: string }];
      const document = RunDocument.parse((await project.mh(['show', run, '--json'], { env })).json);
      expect(document.tasks.filter(({ status }) => status === 'done')).toHaveLength(ITEMS);
      expect(project.git('ls-tree', '-r', '--name-only', `mh/${run}`, 'made').split('\n')).toHaveLength(ITEMS);
      const tasks = ran(project);
      expect(new Set(tasks).size).toBe(ITEMS);
      expect(tasks, 'no attempt was paid twice').toHaveLength(ITEMS);
      expect(readFileSync(join(project.root, 'leaked'), 'utf8'), 'agents do not see the URL').toBe('');
      expect(await project.leftovers()).toEqual([]);
      const versions = await query(
        env.MANYHANDS_DATABASE_URL,
        'SELECT stream FROM manyhands.events GROUP BY stream HAVING count(*) <> max(version)',
      );
      expect(versions).toEqual([]);
    },
  );
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});

function itemLines(): string {
  return Array.from({ length: ITEMS }, (_, index) =>
    JSON.stringify({ id: `i${index}`, prompt: `Write item ${index}`, files: [`made/${index}.txt`] }),
  ).join('\n');
}

function ran({ root }: Scratch): string[] {
  const file = join(root, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
