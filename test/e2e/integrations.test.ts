import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { runStream } from '../../src/schema/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { standIn } from '../forges/stand-ins.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const KEY = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

const STEPS = `plays:
  - role: implement
    steps:
      - tool: { name: query_db, with: { sql: 'SELECT name FROM users' } }
      - tool: { name: query_db, with: { sql: 'DELETE FROM users' } }
        expect: fail
      - tool: { name: query_db, with: { sql: 'SELECT 1', database: other } }
        expect: fail
      - tool: { name: query_logs, with: { contains: token } }
      - tool: { name: query_logs, with: { run: aaaaaaaa } }
        expect: fail
      - tool: { name: query_linear, with: { issue: ENG-1 } }
        expect: fail
      - tool: { name: query_ci_logs }
      - run: env > "$HOME/environment"
      - edit: { path: b.txt, write: x }
      - say: done
`;

async function rehearsed(project: Scratch, env: Record<string, string>): Promise<{ run: string; logs: string }> {
  const scenario = join(project.root, 'scenario.yaml');
  writeFileSync(scenario, STEPS);
  const args = ['job', 'work', '--rehearse', '--scenario', scenario, '--json'];
  const { json, stdout, stderr } = await project.mh(args, { env });
  const run = RunDocument.safeParse(json);
  if (!run.success) throw new Error(`${stdout}${stderr}`);
  return { run: run.data.run, logs: (await project.mh(['logs', run.data.run])).stdout };
}

describe('the integrations of an attempt', () => {
  it('read what the settings of the person name, redacted, and every refused call is recorded', async () => {
    await using project = await makeScratch({ files: { 'a.txt': 'one\n' } });
    await using forge = await standIn('github');
    forge.change((state) => {
      state.checks = [{ name: 'test', state: 'fail', log: `expected 1, got 2 with ${KEY}` }];
    });
    project.git('remote', 'add', 'origin', 'https://github.com/ann/shop.git');
    const database = new DatabaseSync(join(project.root, 'shop.db'));
    database.exec("CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('ann')");
    database.close();
    writeFileSync(join(project.root, 'app.log'), `started\nthe token is ${KEY}\n`);
    const settings = join(project.root, '.config', 'manyhands');
    mkdirSync(settings, { recursive: true });
    writeFileSync(
      join(settings, 'config.yaml'),
      `integrations:
  ci: true
  databases:
    shop: { file: ${join(project.root, 'shop.db')} }
    other: { url: $OTHER_DATABASE, projects: [/srv/another] }
  logs: { app: { files: ['${project.root}/*.log'] } }
`,
    );
    const { run, logs } = await rehearsed(project, { ...forge.env, OTHER_DATABASE: 'postgresql://x:hidden-word@db/x' });
    expect(logs).toContain('"rows":[["ann"]]');
    expect(logs).toContain('the token is');
    expect(logs).toContain('expected 1, got 2 with');
    expect(logs).not.toContain(KEY);
    await using store = await openSqliteStore({ file: join(project.home, 'manyhands.db'), world: realWorld });
    const refused = store.readTypes(runStream(run), ['run.call-refused']).map(({ data }) => data);
    expect(refused).toEqual([
      { operation: expect.stringMatching(/^query_db: Only a query is allowed/) },
      { operation: expect.stringMatching(/^query_db: There is no other/) },
      { operation: 'query-logs' },
      { operation: 'query_linear: Linear is not configured' },
    ]);
    expect(readFileSync(join(project.root, 'environment'), 'utf8')).not.toContain('hidden-word');
    const events = JSON.stringify(store.read(runStream(run)));
    expect(events).not.toContain('OTHER_DATABASE');
  });
});
