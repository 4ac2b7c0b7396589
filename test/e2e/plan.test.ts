import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DryRun } from '../../src/cli/start/dry-run.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Hands over a list; the first time a broken one, when a file says so. */
const AGENT = `#!/bin/sh
cat > "$HOME/prompt"
if [ -e "$HOME/broken" ]; then rm "$HOME/broken"; echo '{"tasks":[{"id":"a","title":"A","description":"d","needs":["b"]}]}'; exit; fi
case "$MANYHANDS_ROLE" in
  tasks) echo '{"tasks":[{"id":"Say hello","title":"Say hello","description":"Write hello.txt","files":["hello.txt"],"check":"ls | grep -q hello"},{"id":"bye","title":"Say bye","description":"Write bye.txt","needs":["Say hello"]}],"summary":"Two greetings."}' ;;
  *) echo hi > hello.txt; echo "$MANYHANDS_TASK" >> bye.txt ;;
esac
`;
const USING = ['--agent', 'command:./agent.sh'];

describe.concurrent('a plan at the command line', { timeout: 120_000 }, () => {
  it('is written to a file for review, and then runs unchanged', async () => {
    await using project = await scratch();
    const planned = await project.mh(['run', 'todo.md', ...USING, '--json']);
    expect([planned.code, RunDocument.parse(planned.json).tasks.length], planned.stderr).toEqual([0, 1]);
    expect(planned.stderr).toContain('manyhands run tasks.yaml');
    expect(readFileSync(join(project.repo, 'tasks.yaml'), 'utf8')).toContain('- id: Say-hello');
    const dry = await project.mh(['run', '--dry-run', ...USING, '--json']);
    expect(DryRun.parse(dry.json).batches.map((batch) => batch.map(({ id }) => id))).toEqual([['Say-hello'], ['bye']]);
    const done = await project.mh(['run', '--tasks', 'Say-hello', ...USING, '--json']);
    expect([done.code, RunDocument.parse(done.json).status], done.stderr).toEqual([0, 'done']);
  });

  it('overwrites a file only with --force and keeps a copy; the planned tasks are not lost', async () => {
    await using project = await scratch();
    const file = join(project.repo, 'tasks.yaml');
    writeFileSync(file, 'mine\n');
    const refused = await project.mh(['plan', 'todo.md', ...USING]);
    expect([refused.code, readFileSync(file, 'utf8')]).toEqual([3, 'mine\n']);
    expect((await project.mh(['ls', '--json'])).json).toEqual([]);
    const forced = await project.mh(['plan', 'Greet everybody', ...USING, '--force', '--json']);
    const { run } = RunDocument.parse(forced.json);
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('mine\n');
    const again = await project.mh(['plan', '--run', run, '--as', 'workflow', '-o', 'new/flow.yaml', '--json']);
    expect([again.code, again.json], again.stderr).toEqual([0, { run, file: join(project.repo, 'new/flow.yaml') }]);
    expect((await project.mh(['check', 'new/flow.yaml'])).stdout).toContain('3 nodes (workflow), no errors');
    expect((await project.mh(['plan', '--run', run])).code).toBe(3);
  });

  it('gets one more turn with the reason when its answer is invalid', async () => {
    await using project = await scratch();
    writeFileSync(join(project.root, 'broken'), '');
    const planned = await project.mh(['plan', 'todo.md', ...USING, '--json']);
    expect([planned.code, RunDocument.parse(planned.json).tasks[0]?.attempts], planned.stderr).toEqual([0, 2]);
    expect(readFileSync(join(project.root, 'prompt'), 'utf8')).toContain('needs "b", which is not in the plan');
  });

  it('can be rehearsed, and rejects what is not a to-do list', async () => {
    await using project = await scratch();
    const rehearsed = await project.mh(['plan', 'todo.md', '--rehearse', '-o', 'rehearsed.yaml']);
    expect(rehearsed.code, rehearsed.stderr).toBe(0);
    expect((await project.mh(['check', 'rehearsed.yaml'])).code).toBe(0);
    for (const words of [[], ['none.md'], ['rehearsed.yaml']])
      expect((await project.mh(['plan', ...words])).code).toBe(2);
    expect(existsSync(join(project.repo, 'tasks.yaml'))).toBe(false);
  });
});

function scratch(): Promise<Scratch> {
  const settings = 'limits: { attempts: 2, retryDelaySeconds: 0 }\nsmallCalls: { use: rules }\n';
  const todo = '# To do\n\n- [ ] Say hello\n- [ ] Say bye\n- [x] Begin\n';
  return makeScratch({ files: { 'todo.md': todo, 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
}
