import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DryRun } from '../../src/cli/start/dry-run.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { WorkCheck } from '../../src/work-files/work-plan.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'work');
const NAMES = readdirSync(EXAMPLES);
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Makes the one file that its task names, and hands over what any role must. */
const AGENT = `#!/bin/sh
prompt=$(cat)
file=$(echo "$prompt" | grep -oE '(into|in|Files:) [A-Za-z]+[.](txt|md)' | grep -v name.txt | head -1 | cut -d' ' -f2)
case "$MANYHANDS_ROLE" in
  implement|bulk|fix) echo "Hello from $MANYHANDS_TASK" >> "\${file:-hello.txt}" ;;
esac
echo '{"status":"pass","summary":"fine","found":false,"friendly":true,"requirements":[],"boundaries":[],"acceptance_criteria":[],"changed_files":[],"write_scope":[],"commands_run":[],"findings":[],"blocking_issues":[],"residual_risk":[],"steps":[{"step":1,"result":"pass","note":"seen"},{"step":2,"result":"pass","note":"seen"}]}'
`;

describe.concurrent('a work file at the command line', () => {
  it('is shown by a dry run, which changes nothing', async () => {
    await using project = await scratch();
    const before = await project.fingerprint();
    for (const name of ['features.json', 'tasks.jsonl', 'todo.md']) {
      const dry = await project.mh(['run', name, '--dry-run', '--agent', 'command:./agent.sh', '--json']);
      expect(dry.code, dry.stderr).toBe(0);
      const result = DryRun.parse(dry.json);
      expect(result).toMatchObject({ file: name, started: false });
      expect(result.cost.estimate).toBe(result.cost.attempts * result.cost.perAttempt);
    }
    const lines = await project.mh(['run', 'features.json', '--dry-run', '--agent', 'command:./agent.sh']);
    expect(lines.stdout, 'features are shown in their tracks').toMatch(/Tracks\n {2}default: 1/);
    expect(lines.stdout).toMatch(/1: verify: \d steps?, by the same agent, in a new session/);
    const two = ['--agent', 'command:./agent.sh one', '--agent', 'command:./agent.sh two'];
    const other = await project.mh(['run', 'features.json', '--dry-run', '--json', ...two]);
    expect(DryRun.parse(other.json).batches[0]?.[0]?.gates).toContainEqual(
      expect.stringMatching(/, by another agent$/),
    );
    const checked = await project.mh(['check', 'task_config.yaml', '--json']);
    expect(WorkCheck.parse(checked.json)).toMatchObject({ ok: true, format: 'tasks', count: 2, mistakes: [] });
    expect(await project.fingerprint()).toBe(before);
    expect((await project.mh(['ls', '--json'])).json).toEqual([]);
  });

  it('shows the test command of the project among the checks of a dry run, and a command that is given twice once', async () => {
    const settings = "checks: ['npm run lint']\nproject: { testCommand: npm test }\n";
    await using project = await scratch({ '.manyhands/config.yaml': settings });
    const dry = ['run', 'tasks.yaml', '--dry-run', '--agent', 'command:./agent.sh', '--check', 'npm test', '--json'];
    expect(DryRun.parse((await project.mh(dry)).json).checks).toEqual(['npm run lint', 'npm test']);
  });

  it('shows batches, agents, gates and cost before anything is started', async () => {
    await using project = await scratch();
    const dry = ['run', 'workflow.yaml', '--dry-run', '--agent', 'command:./agent.sh'];
    const { stdout } = await project.mh(dry);
    expect(stdout).toMatch(/Batch 4\n {2}document/);
    expect(stdout).toMatch(/review: friendly: review\.status == "pass" and .*, else implement again, at most 2 times/);
    expect(stdout).toMatch(/Estimated cost: at most \$4\.00 \(4 attempts of \$1\.00/);
    expect(stdout).not.toMatch(/your budget/);
    expect(stdout).toMatch(/Nothing was started\.\n$/);
    expect(stdout).not.toMatch(/Labels/);
    expect((await project.mh([...dry, '--label', 'gpu,mac'])).stdout).toMatch(
      /Labels of hosts\n {2}every task: gpu, mac\n/,
    );
    const wrong = await project.mh([...dry, '--label', 'two words']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('A label must be 1 to 40 letters')]);
    const short = await project.mh([...dry, '--budget', '2']);
    expect(short.stdout).toMatch(/The estimate is above the budget: your budget of \$2\.00 stops the run/);
  });

  it.runIf(TESTS_ALL)(
    'shows which agents a rehearsal would simulate, also those of the settings and the file',
    async () => {
      const settings =
        'agents:\n  hand: { kind: command, command: ./agent.sh }\nroles: { implement: { agent: hand } }\n';
      const tasks =
        'tasks:\n  - { id: a, title: A, description: a, agent: hand }\n  - { id: b, title: B, description: b }\n';
      await using project = await scratch({
        '.manyhands/config.yaml': settings,
        'mine.yaml': tasks,
        's.yaml': 'steps: []\n',
      });
      const shown = async (...args: string[]) => {
        const { json, stderr } = await project.mh(['run', 'mine.yaml', '--dry-run', '--json', ...args]);
        const dry = DryRun.safeParse(json);
        expect(dry.error, stderr).toBeUndefined();
        return (dry.data?.batches ?? []).flat().map(({ agent, played }) => [agent, played]);
      };
      const used = async (...args: string[]) => {
        const { tasks: done } = RunDocument.parse((await project.mh(['run', 'mine.yaml', '--json', ...args])).json);
        return done.flatMap(({ name, agent }) => (name === null ? [] : [agent]));
      };
      expect(await shown()).toEqual([
        ['hand', false],
        ['hand', false],
      ]);
      expect(await shown('--rehearse')).toEqual([
        ['hand', true],
        ['rehearsal', true],
      ]);
      expect(await used('--rehearse')).toEqual(['hand', 'rehearsal']);
      const program = ['--rehearse', '--agent', 'command:./agent.sh'];
      expect(await shown(...program)).toEqual([
        ['hand', true],
        ['agent', false],
      ]);
      expect(await used(...program)).toEqual(['hand', 'agent']);
    },
  );

  it('is distinguished from a goal', async () => {
    await using project = await scratch();
    const asGoal = await project.mh(['do', '@tasks.jsonl', '--plan-only', '--rehearse']);
    expect(asGoal.stderr).toContain('To run the work file: manyhands run tasks.jsonl');
    const list = await project.mh(['do', '@todo.md', '--plan-only', '--rehearse']);
    expect(list.stderr).not.toContain('work file');
  });

  it('is rejected with exit code 2 and starts nothing when it has errors', async () => {
    await using project = await scratch({ 'bad.yaml': 'tasks:\n  - id: ../x\n    title: T\n' });
    const before = await project.fingerprint();
    const result = await project.mh(['check', 'bad.yaml', '--json']);
    expect(result.code).toBe(2);
    expect(WorkCheck.parse(result.json)).toMatchObject({
      ok: false,
      mistakes: [{ line: 2 }, { line: 2, code: 'invalid_id' }],
    });
    const started = await project.mh(['run', 'bad.yaml', '--json']);
    expect(started.code).toBe(2);
    expect(Failure.parse(started.json).error).toMatchObject({ code: 'WORK_FILE_INVALID' });
    expect((await project.mh(['run', 'none.yaml'])).code).toBe(2);
    const only = await project.mh(['run', 'tasks.yaml', '--only', 'helo', '--dry-run']);
    expect(only).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/tasks\.yaml has no helo\. Did you mean hello\?/),
    });
    expect(await project.fingerprint()).toBe(before);
    expect((await project.mh(['ls', '--json'])).json).toEqual([]);
  });

  it('is found by its default name, and can be run in part, with the tasks that part needs', async () => {
    await using project = await scratch();
    const dry = await project.mh(['run', '--dry-run', '--only', 'index', '--agent', 'command:./agent.sh', '--json']);
    const { file, batches } = DryRun.parse(dry.json);
    expect(file).toBe('tasks.yaml');
    expect(batches.map((batch) => batch.map(({ id }) => id))).toEqual([['hello', 'bye'], ['index']]);
  });

  it.each(
    variants(
      ['task_config.yaml', 'dag.toml'],
      ['tasks.csv', 'tasks.yaml', 'tasks.jsonl', 'workflow.yaml', 'dag.yaml', 'dag.json'],
    ),
  )('is carried out: %s', async (name) => {
    await using project = await scratch();
    const done = await project.mh([
      'run',
      name,
      '--agent',
      'command:./agent.sh',
      '--check',
      'test -e name.txt',
      '--json',
    ]);
    const document = RunDocument.safeParse(done.json);
    expect(document.success, `${done.code} ${done.stderr}\n${done.stdout}`).toBe(true);
    expect(document.data?.status, JSON.stringify(document.data?.tasks, null, 1)).toBe('done');
    expect(done.code).toBe(0);
  });

  it('receives the status of its features', async () => {
    await using project = await scratch();
    const done = await project.mh([
      'run',
      'features.json',
      '--agent',
      'command:./agent.sh',
      '--check',
      'test -e name.txt',
      '--json',
    ]);
    expect(done.code, done.stderr).toBe(0);
    const written = readFileSync(join(project.repo, 'features.json'), 'utf8');
    expect(written).toBe(readFileSync(join(EXAMPLES, 'features.json'), 'utf8').replaceAll('"open"', '"passed"'));
  });
});

function scratch(files: Record<string, string> = {}): Promise<Scratch> {
  const examples = Object.fromEntries(NAMES.map((name) => [name, readFileSync(join(EXAMPLES, name), 'utf8')]));
  const settings = 'limits: { attempts: 1, retryDelaySeconds: 0 }\n';
  return makeScratch({
    files: { ...examples, 'name.txt': 'Ann\n', 'agent.sh': AGENT, '.manyhands/config.yaml': settings, ...files },
  });
}
