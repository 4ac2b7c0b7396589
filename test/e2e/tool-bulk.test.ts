import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BulkStatus } from '../../src/recipes/item-status.ts';
import { ledger } from '../support/features-project.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { TESTS_ALL } from '../support/variants.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tools', name), 'utf8');
const GOAL = 'Add JWT authentication to the Express app with middleware, routes, tests, and API docs';
const WORKERS = 16;
const FIXES = 40;

/** Adds a line to the file of its item; until a file named good is there, each in the way that its name says is wrong. */
const WORKER = `#!/bin/sh
prompt=$(cat)
file=$(printf '%s' "$prompt" | sed -n 's/^Files: //p')
echo "$file" >> "$HOME/ledger"
mkdir -p "$(dirname "$file")"
line='validate( checked line'
if [ ! -e "$HOME/good" ]; then
  case "$file" in
    */mended.json) case "$prompt" in *"What went wrong before"*) ;; *) echo '{' > "$file"; exit ;; esac ;;
    */unchanged.txt) exit ;;
    */wrong.txt) echo oops > src/other.txt; exit ;;
    */broken.json) echo '{' > "$file"; exit ;;
    */pattern.txt | */verified.txt) line='just a line' ;;
    */slow.txt) while :; do echo working; sleep 0.2; done ;;
  esac
fi
case "$file" in
  */side.txt) echo side >> src/index.txt ;;
  */wrong.txt) rm -f src/other.txt ;;
  *.json) echo '["line"]' > "$file"; exit ;;
esac
echo "$line" >> "$file"
`;

/** Waits in a room until it may go on, and notes how many are in it. */
const WAITER = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
echo "$file" >> "$HOME/ledger"
touch "$HOME/room/$MANYHANDS_ATTEMPT"
ls "$HOME/room" | wc -l >> "$HOME/crowd"
while [ ! -e "$HOME/go" ]; do sleep 0.1; done
mkdir -p "$(dirname "$file")" && echo fixed > "$file"
rm "$HOME/room/$MANYHANDS_ATTEMPT"
`;

/** Plans two tasks and one that needs both, finds one thing once, writes a file for each task. */
const PHASES = `#!/bin/sh
cat > /dev/null
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"middleware","title":"Write middleware","description":"m"},{"id":"routes","title":"Write routes","description":"r"},{"id":"tests","title":"Write tests","description":"t","needs":["middleware","routes"]}]}' ;;
  review) if [ -e "$HOME/reviewed" ]; then echo '{"findings":[],"summary":"fine"}'; else touch "$HOME/reviewed"; echo '{"findings":[{"severity":"high","title":"No limit","description":"Add limit.txt"}],"summary":"almost"}'; fi ;;
  *) echo "$MANYHANDS_ROLE" > "$(echo "$MANYHANDS_TASK" | tr / -).txt" ;;
esac
`;

async function scratch(): Promise<Scratch> {
  const project = await makeScratch({
    files: {
      'base.txt': 'base\n',
      'config.toml': fixture('config.toml'),
      'tasks.jsonl': fixture('tasks.jsonl'),
      'tasks.csv': fixture('tasks.csv'),
      'dag.toml': fixture('dag.toml'),
      'src/index.txt': 'index\n',
    },
  });
  for (const [name, text] of Object.entries({ 'worker.sh': WORKER, 'waiter.sh': WAITER, 'phases.sh': PHASES }))
    writeFileSync(join(project.root, name), text, { mode: 0o755 });
  const init = await project.mh(['init', '--yes', '--import']);
  expect(init.code, init.stderr).toBe(0);
  return project;
}

async function status(project: Scratch): Promise<BulkStatus> {
  return BulkStatus.parse((await project.mh(['bulk', 'status', '--json'])).json);
}

describe('the files and commands of the tool for goals and bulk fixes', () => {
  it('run a manifest, judge each item, and retry only failed items', {
    timeout: 240_000,
  }, async () => {
    await using project = await scratch();
    const using = ['--agent', 'command:../worker.sh', '--check', 'test -e base.txt'];
    const before = await project.fingerprint();
    const first = await runForDocument(
      project,
      'bulk',
      'run',
      'tasks.jsonl',
      ...using,
      '--failed-out',
      '../failed_items.jsonl',
    );
    expect([first.code, first.status], 'a run with failed items is no success').toEqual([1, 'partial']);
    const after = await status(project);
    expect(after.counts, 'every item is accounted for').toMatchObject({ done: 3, failed: 6, waiting: 0, running: 0 });
    const why = new Map(after.failed.map(({ item, reason }) => [item.files[0] ?? '', reason]));
    expect(why.get('src/unchanged.txt'), 'no change is no success').toMatch(/without changing anything/);
    expect(why.get('src/wrong.txt'), 'another file than the target is caught').toMatch(/src\/other\.txt is outside/);
    expect(why.get('src/broken.json'), 'the syntax is checked').toMatch(/syntax/);
    expect(why.get('src/pattern.txt'), 'a pattern must be found').toMatch(/validate/);
    expect(why.get('src/verified.txt'), 'a verify command must pass').toMatch(/grep -q checked/);
    expect(why.get('src/slow.txt'), 'an item has its own time limit').toMatch(/longer than 8 s/);
    const items = new Map(
      first.tasks.map(({ title, attempts, status: word }) => [title.split(':')[0], [word, attempts]]),
    );
    expect(items.get('src/mended.json'), 'what went wrong is reported, and tried again').toEqual(['done', 2]);
    expect(items.get('src/broken.json'), 'as often as the item says').toEqual(['failed', 1]);
    const landed = project.git('ls-tree', '-r', '--name-only', first.branch ?? '', 'src').split('\n');
    expect(landed, 'only good work lands').toEqual(
      ['good.txt', 'index.txt', 'mended.json', 'side.txt'].map((n) => `src/${n}`),
    );
    expect(after.uncovered, 'files that nothing was done to are listed').toEqual([...why.keys()].sort());
    const left = await project.mh(['check', '../failed_items.jsonl', '--json']);
    expect(left.json, 'what failed is a manifest again').toMatchObject({ ok: true, count: 6 });

    writeFileSync(join(project.root, 'good'), '');
    const tried = ledger(project).length;
    const again = await runForDocument(project, 'bulk', 'retry');
    expect([again.code, again.run, again.status], 'retry needs no run id').toEqual([0, first.run, 'done']);
    expect(ledger(project).slice(tried).sort(), 'retry opens only what failed').toEqual([...why.keys()].sort());
    expect((await status(project)).counts).toMatchObject({ done: 9, failed: 0 });

    const table = await runForDocument(project, 'run', 'tasks.csv', ...using);
    expect([table.code, table.tasks.map(({ status: word }) => word)], 'a table is a manifest too').toEqual([
      0,
      ['done', 'done'],
    ]);
    expect(await project.fingerprint(), 'the checkout is as it was').toBe(before);
  });

  it.runIf(TESTS_ALL)(
    'run sixteen items in parallel and lose none when interrupted',
    { timeout: 240_000 },
    async () => {
      await using project = await scratch();
      mkdirSync(join(project.root, 'room'));
      const lines = Array.from({ length: FIXES }, (_, n) => ({ target: `lint/${n}.txt`, instruction: 'Fix the lint' }));
      writeFileSync(join(project.repo, 'lint-fixes.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const running = project.start(['bulk', 'run', 'lint-fixes.jsonl', '--agent', 'command:../waiter.sh']);
      await until(() => readdirSync(join(project.root, 'room')).length >= WORKERS);
      running.kill('SIGKILL');
      await running.done;
      expect((await status(project)).counts, 'status tells it while nobody works on it').toMatchObject({ done: 0 });
      writeFileSync(join(project.root, 'go'), '');
      const resumed = await runForDocument(project, 'bulk', 'resume');
      expect((await status(project)).counts, 'resume needs no run id, and loses nothing').toMatchObject({
        done: FIXES,
      });
      const crowd = readFileSync(join(project.root, 'crowd'), 'utf8').trim().split('\n').map(Number);
      expect(Math.max(...crowd), 'sixteen work at once, and never more').toBe(WORKERS);
      expect(ledger(project), 'nobody who worked on was started twice').toHaveLength(FIXES);
      const kept = project.git('ls-tree', '-r', '--name-only', resumed.branch ?? '', 'lint').split('\n');
      expect(kept, 'every edit is kept').toHaveLength(FIXES);
    },
  );

  it.runIf(TESTS_ALL)(
    'turn a goal into a graph, with another agent for each phase, until the review passes',
    {
      timeout: 240_000,
    },
    async () => {
      await using project = await scratch();
      for (const name of ['planner.sh', 'coder.sh']) writeFileSync(join(project.root, name), PHASES, { mode: 0o755 });
      const phases = ['plan=command:../planner.sh', 'implement=command:../coder.sh', 'review=command:../planner.sh'];
      const how = [...phases, 'fix=command:../coder.sh'].flatMap((phase) => ['--agent', phase]);
      const run = await runForDocument(project, 'do', GOAL, '--check', 'test -e base.txt', ...how);
      expect([run.code, run.status], 'the goal is reached').toEqual([0, 'done']);
      const byRole = new Set(run.tasks.map(({ role, agent }) => `${role} by ${agent}`));
      expect([...byRole].sort(), 'each phase has its own agent').toEqual([
        'fix by coder',
        'implement by coder',
        'plan by planner',
        'review by planner',
      ]);
      const tests = run.tasks.find(({ title }) => title === 'Write tests');
      expect(tests?.needs, 'the goal becomes a graph of tasks').toHaveLength(2);
      expect(run.tasks.filter(({ role }) => role === 'review').length, 'it is reviewed until nothing is found').toBe(2);
      const checked = run.tasks.every(
        ({ commit, evidence }) => commit === null || evidence.some(({ gate }) => gate === 'test -e base.txt'),
      );
      expect(checked, 'results are merged, tested and verified').toBe(true);

      const forced = await runForDocument(
        project,
        'do',
        GOAL,
        '--check',
        'test -e base.txt',
        '--agent',
        'command:../phases.sh',
      );
      expect(
        new Set(forced.tasks.map(({ agent }) => agent)),
        'one agent can be forced for all, whatever the settings prefer',
      ).toEqual(new Set(['phases']));
    },
  );

  it.runIf(TESTS_ALL)(
    'are rehearsed without a model, whatever agents the settings, the command and the files name',
    {
      timeout: 240_000,
    },
    async () => {
      await using project = await scratch();
      const bin = join(project.root, 'bin');
      mkdirSync(bin);
      for (const name of ['claude', 'codex'])
        writeFileSync(join(bin, name), '#!/bin/sh\ntouch "$HOME/called"\nexit 1\n', { mode: 0o755 });
      const env = { PATH: `${bin}:${process.env.PATH ?? ''}` };
      const rehearsed = async (...args: string[]) => {
        const { code, stderr } = await project.mh([...args, '--rehearse', '--check', 'test -e base.txt'], { env });
        expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
      };
      await rehearsed('do', '--agent', 'plan=claude', '--agent', 'implement=codex', '--agent', 'review=claude', GOAL);
      await rehearsed('run', 'dag.toml');
      await rehearsed('bulk', 'run', 'tasks.csv');
      expect((await status(project)).counts).toMatchObject({ done: 2, failed: 0 });
      expect(existsSync(join(project.root, 'called')), 'nobody was asked').toBe(false);
    },
  );
});
