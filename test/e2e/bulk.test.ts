import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BulkStatus } from '../../src/recipes/item-status.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { WorkCheck } from '../../src/work-files/work-plan.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { TESTS_ALL } from '../support/variants.ts';

const OWN = TESTS_ALL ? 170 : 26;
const ON_ONE_FILE = TESTS_ALL ? 20 : 6;
const BROKEN = TESTS_ALL ? 5 : 3;
const POISON = TESTS_ALL ? 5 : 3;
const ALL = OWN + ON_ONE_FILE + BROKEN + POISON;

/** Writes a line to the file of its item; before a file named good is there, some lines break the file or the check. */
const AGENT = `#!/bin/sh
prompt=$(cat)
file=$(echo "$prompt" | sed -n 's/^Files: //p')
echo "$MANYHANDS_TASK" >> "$HOME/ran"
mkdir -p "$(dirname "$file")"
line="line of $MANYHANDS_TASK"
if [ ! -e "$HOME/good" ]; then
  case "$file" in
    poison/*) line=POISON ;;
    broken/*) echo '{' > "$file"; exit ;;
  esac
fi
case "$file" in
  *.json) echo "[\\"$line\\"]" > "$file" ;;
  shared.txt) echo "$line" >> "$file" ;;
  *) echo "$line" > "$file" ;;
esac
`;
const CHECK = '! grep -rq POISON poison';

describe.concurrent('a bulk of items', { timeout: 600_000 }, () => {
  it('keeps every edit and lands no bad one although the engine is killed; failed items can be retried', async () => {
    await using project = await scratch(AGENT, { 'poison/here': 'fine\n' });
    writeFileSync(join(project.repo, 'items.jsonl'), itemLines());
    const running = project.start(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--check', CHECK]);
    await until(() => ranLines(project).length >= ALL / 3);
    running.kill('SIGKILL');
    await running.done;
    const resumed = await project.mh(['bulk', 'resume', '--failed-out', 'failed_items.jsonl', '--json']);
    const run = RunDocument.parse(resumed.json);
    expect([resumed.code, run.status], resumed.stderr).toEqual([1, 'partial']);
    const status = BulkStatus.parse((await project.mh(['bulk', 'status', '--json'])).json);
    expect(status.counts).toMatchObject({ done: OWN + ON_ONE_FILE, failed: BROKEN + POISON, waiting: 0, running: 0 });
    expect(status.uncovered).toHaveLength(BROKEN + POISON);
    expect(status.failed.map(({ reason }) => reason).join('\n')).toMatch(/syntax: .*broken\/1\.json/);
    expectLanded(project, run.run, OWN);
    expect(project.git('ls-tree', '-r', '--name-only', `mh/${run.run}`, 'broken', 'poison')).toBe('poison/here');
    const left = WorkCheck.parse((await project.mh(['check', 'failed_items.jsonl', '--json'])).json);
    expect(left).toMatchObject({ ok: true, format: 'bulk', count: BROKEN + POISON });
    writeFileSync(join(project.root, 'good'), '');
    const before = ranLines(project).length;
    const retried = await project.mh(['bulk', 'retry', '--json']);
    expect([retried.code, RunDocument.parse(retried.json).status], retried.stderr).toEqual([0, 'done']);
    expect(ranLines(project).length - before).toBe(BROKEN + POISON);
    expectLanded(project, run.run, OWN + BROKEN + POISON);
  });

  it('rejects an item that changes other files or breaks its own, with the reason, and never lands it', async () => {
    const agent = `#!/bin/sh
prompt=$(cat)
case "$prompt" in
  *"elsewhere.txt is outside"*) rm elsewhere.txt ;;
  *"What went wrong before"*) echo '{}' > data.json ;;
  *"Files: in.txt"*) echo fine > in.txt; echo no > elsewhere.txt ;;
  *) echo '{' > data.json ;;
esac
`;
    await using project = await scratch(agent, {}, 'limits: { attempts: 2, retryDelaySeconds: 0 }\n');
    const items = [item('scope', 'in.txt'), item('syntax', 'data.json')];
    writeFileSync(join(project.repo, 'items.jsonl'), items.join(''));
    const done = await project.mh(['bulk', 'run', 'items.jsonl', '-n', '2', '--agent', 'command:./agent.sh', '--json']);
    const { run, tasks } = RunDocument.parse(done.json);
    expect(
      tasks.map(({ status, attempts }) => [status, attempts]),
      done.stderr,
    ).toEqual([
      ['done', 2],
      ['done', 2],
    ]);
    expect(project.git('show', `mh/${run}:data.json`)).toBe('{}');
    expect(project.git('log', '--format=%H', `mh/${run}`, '--', 'elsewhere.txt')).toBe('');
  });

  it('holds what no check can verify if the settings require it', async () => {
    const agent = '#!/bin/sh\ncat > /dev/null\necho "?" > strange.zzz\n';
    await using project = await scratch(agent, {}, 'syntax: { unchecked: hold }\n');
    writeFileSync(join(project.repo, 'items.jsonl'), item('strange', 'strange.zzz'));
    const held = await project.mh(['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--json']);
    const { run, status, attention } = RunDocument.parse(held.json);
    expect([held.code, status, attention[0]?.reason]).toEqual([4, 'held', expect.stringMatching(/1 not checked/)]);
    await project.mh(['approve', run]);
    expect(project.git('show', `mh/${run}:strange.zzz`)).toBe('?');
  });

  it('is created from the tracked files, in their order, and never overwrites a file', async () => {
    const files = { 'src/b.ts': 'b\n', 'src/a.ts': 'a\n', 'src/a.test.ts': 't\n', '.gitignore': 'out\n' };
    await using project = await scratch('#!/bin/sh\n', files);
    writeFileSync(join(project.repo, 'src', 'untracked.ts'), 'u\n');
    const how = ['--exclude', '**/*.test.ts', '--template', 'Explain {name} of {dir}'];
    const scanned = await project.mh(['bulk', 'scan', '--glob', 'src/**/*.ts', ...how, '--out', 'tasks.jsonl']);
    expect(scanned.code, scanned.stderr).toBe(0);
    expect(readFileSync(join(project.repo, 'tasks.jsonl'), 'utf8')).toBe(
      '{"id":"src.a.ts","prompt":"Explain a.ts of src","files":["src/a.ts"]}\n' +
        '{"id":"src.b.ts","prompt":"Explain b.ts of src","files":["src/b.ts"]}\n',
    );
    expect((await project.mh(['check', 'tasks.jsonl'])).code).toBe(0);
    expect((await project.mh(['bulk', 'scan', '--glob', 'src', '--prompt', 'x', '-o', 'tasks.jsonl'])).code).toBe(3);
    expect((await project.mh(['bulk', 'scan', '--glob', 'src'])).code).toBe(2);
    expect((await project.mh(['bulk', 'status'])).code).toBe(3);
  });
});

function scratch(
  agent: string,
  files: Record<string, string>,
  settings = 'limits: { attempts: 1 }\n',
): Promise<Scratch> {
  return makeScratch({
    files: { 'agent.sh': agent, '.manyhands/config.yaml': `smallCalls: { use: rules }\n${settings}`, ...files },
  });
}

function itemLines(): string {
  const numbered = (folder: string, count: number, ending: string) =>
    Array.from({ length: count }, (_, index) => item(`${folder}-${index + 1}`, `${folder}/${index + 1}.${ending}`));
  const shared = Array.from({ length: ON_ONE_FILE }, (_, index) => item(`shared-${index + 1}`, 'shared.txt'));
  return [
    ...numbered('broken', BROKEN, 'json'),
    ...shared,
    ...numbered('own', OWN, 'txt'),
    ...numbered('poison', POISON, 'txt'),
  ].join('');
}

function item(id: string, file: string): string {
  return `${JSON.stringify({ id, prompt: `Add a line (${id})`, files: [file] })}\n`;
}

function expectLanded(project: Scratch, run: string, files: number): void {
  const names = project.git('ls-tree', '-r', '--name-only', `mh/${run}`, 'own', 'broken', 'poison').split('\n');
  expect(names.filter((name) => name !== 'poison/here')).toHaveLength(files);
  const shared = project.git('show', `mh/${run}:shared.txt`).split('\n');
  expect(new Set(shared).size).toBe(ON_ONE_FILE);
}

function ranLines(project: Scratch): string[] {
  const file = join(project.root, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
