import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { DoctorLine } from '../../src/operations/maintenance/doctor/doctor-line.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { type StandIn, standIn } from '../forges/stand-ins.ts';
import { type Finished, makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tools', name), 'utf8');
const GITHUB = 'https://github.com/ann/shop.git';
const USING = ['--agent', 'command:../agent.sh'];

/** Plans tasks from a list and reviews; each task writes its file once two tasks run in parallel. */
const AGENT = `#!/bin/sh
prompt=$(cat)
printf '%s' "$prompt" > "$HOME/prompt-$MANYHANDS_ROLE"
pwd >> "$HOME/projects"
case "$MANYHANDS_ROLE" in
  tasks) echo '{"tasks":[{"id":"auth","title":"feat: add user auth","description":"Write auth.txt"},{"id":"readme","title":"docs: update readme","description":"Write readme.txt"}]}'; exit ;;
  review) echo '{"findings":[],"summary":"fine"}'; exit ;;
esac
file=$(printf '%s' "$prompt" | grep -oE 'Write [a-z]+[.]txt' | head -1 | cut -d' ' -f2)
case "$file" in silent.txt) echo "attempt $MANYHANDS_ATTEMPT_NUMBER" >> silent.txt; sleep 600 ;; esac
if [ -d "$HOME/meeting" ]; then
  touch "$HOME/meeting/$file"
  for _ in $(seq 200); do [ "$(ls "$HOME/meeting" | wc -l)" -ge 2 ] && break; sleep 0.1; done
  [ "$(ls "$HOME/meeting" | wc -l)" -ge 2 ] || exit 1
fi
echo done > "$file"
`;

const Listed = z.array(z.object({ key: z.string(), value: z.unknown(), from: z.string() }));

type Place = Scratch & { forge: StandIn; remote: string; say(...args: string[]): Promise<Finished> };

/** The project of its document: its settings file, a to-do list, the branch develop, and a remote at GitHub. */
async function scratch(): Promise<Place> {
  const project = await makeScratch({
    files: {
      'base.txt': 'base\n',
      '.claude-orchestrator.yaml': fixture('claude-orchestrator.yaml'),
      'todo.md': fixture('todo.md'),
      'src/main.py': 'print("shop")\n',
      'tests/test_main.py': 'assert True\n',
    },
  });
  const remote = join(project.root, 'remote.git');
  project.git('branch', 'develop');
  project.git('init', '--quiet', '--bare', '--initial-branch=develop', remote);
  project.git('push', '--quiet', remote, 'main', 'develop');
  project.git('remote', 'add', 'origin', GITHUB);
  writeFileSync(join(project.root, 'agent.sh'), AGENT, { mode: 0o755 });
  const forge = await standIn('github', remote);
  return {
    ...project,
    forge,
    remote,
    say: (...args) => project.mh(args, { env: forge.env }),
    [Symbol.asyncDispose]: async () => {
      await forge[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** Sets the project up and commits that. GitHub cannot be reached from a test, so the remote is a folder and the forge is named. */
async function setUp(project: Place): Promise<void> {
  const { git, say, remote } = project;
  await say('init', '--yes', '--import');
  git('add', '.manyhands');
  git('commit', '--quiet', '--message=Set up');
  git('branch', '--force', 'develop');
  git('push', '--quiet', remote, 'develop');
  git('remote', 'set-url', 'origin', remote);
  setSettings(project, { git: { provider: 'github', repo: 'ann/shop' }, limits: { retryDelaySeconds: 0 } });
}

/** Adds settings to the file of the project, without the program. */
function setSettings({ repo }: Place, settings: Record<string, Record<string, unknown>>): void {
  const file = join(repo, '.manyhands/config.yaml');
  const document = parseDocument(readFileSync(file, 'utf8'));
  for (const [section, values] of Object.entries(settings))
    for (const [key, value] of Object.entries(values)) document.setIn([section, key], value);
  writeFileSync(file, document.toString());
}

async function run(project: Place, ...args: string[]): Promise<{ code: number | null } & RunDocument> {
  const { code, json, stderr } = await project.say(...args, '--json');
  const document = RunDocument.safeParse(json);
  if (!document.success) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return { code, ...document.data };
}

const read = (project: Scratch, file: string) => readFileSync(join(project.repo, file), 'utf8');

describe('the files and commands of the tool for to-do lists', () => {
  it.runIf(TESTS_ALL)('set up a project: doctor, init, config', { timeout: 180_000 }, async () => {
    await using project = await scratch();
    const global = join(project.root, '.config/claude-orchestrator');
    mkdirSync(global, { recursive: true });
    writeFileSync(join(global, 'config.yaml'), 'git:\n  base_branch: main\nagent:\n  max_retries: 9\n');

    const init = await project.say('init', '--yes', '--import');
    expect(init.code, init.stderr).toBe(0);
    expect(init.stdout, 'init detects the provider').toMatch(/forge +github: ann\/shop at github\.com/);
    expect(init.stdout, 'init tells every key of the project and of the person').toMatch(
      /~\/\.config\/claude-orchestrator\/config\.yaml[\s\S]*agent\.max_retries +ignored/,
    );
    expect(read(project, '.manyhands/config.yaml'), 'init writes the settings').toContain('destination: develop');
    const settings = async () => {
      const listed = Listed.parse((await project.say('config', 'list', '--json')).json);
      return (key: string) => listed.find((setting) => setting.key === key);
    };
    const imported = await settings();
    expect(imported('git.base')?.value, 'the project overrides what holds for all projects').toBe('develop');
    expect(imported('limits.attempts')?.value, 'two retries are three attempts in all').toBe(3);
    expect(imported('limits.inactivitySeconds')?.value, 'the limit of silence is five minutes').toBe(300);
    expect(imported('limits.runtimeSeconds')?.value, 'the limit of time is an hour').toBe(3600);
    expect(imported('tools.allowedCli')?.value, 'permissions are not widened without consent').toEqual([]);

    await project.say('config', 'set', 'mcp.linear', '{"command":"mcp-server-linear"}');
    const doctor = await project.say('doctor', '--json');
    const lines = new Map(
      z
        .array(DoctorLine)
        .parse(doctor.json)
        .map((line) => [line.name, line]),
    );
    expect(lines.get('forge'), 'doctor names the provider').toMatchObject({ ok: true });
    expect(lines.get('forge')?.detail).toMatch(/^github, repository ann\/shop, from the remote origin/);
    expect(lines.get('forge login'), 'doctor looks for the program').toMatchObject({ ok: true });
    expect(lines.get('mcp linear'), 'doctor finds the server missing, and says what to do').toMatchObject({
      ok: false,
      fix: expect.stringContaining('mcp-server-linear'),
    });
    const online = z.array(DoctorLine).parse((await project.say('doctor', '--online', '--json')).json);
    expect(online.find(({ name }) => name === 'forge login')?.ok, 'doctor sees that gh is logged in').toBe(true);

    const changes: Record<string, [text: string, value: unknown]> = {
      'git.base': ['main', 'main'],
      'tools.allowedCli': ['gh,az,aws,docker', ['gh', 'az', 'aws', 'docker']],
      'tools.allowedTools': ['Bash(git:*),Edit,Read', ['Bash(git:*)', 'Edit', 'Read']],
      'tools.addDirs': ['/path/to/config', ['/path/to/config']],
      'tools.permissionMode': ['dontAsk', 'dontAsk'],
      'tools.skipPermissions': ['false', false],
      autoPr: ['false', false],
      'limits.inactivitySeconds': ['300', 300],
    };
    for (const [key, [text]] of Object.entries(changes))
      expect((await project.say('config', 'set', key, text)).code, `config sets ${key}`).toBe(0);
    await project.say('config', 'set', 'budget.run', '7', '--global');
    const of = await settings();
    expect(of('budget.run'), 'list merges what holds for all and for the project').toMatchObject({
      value: 7,
      from: 'global',
    });
    for (const [key, [, value]] of Object.entries(changes))
      expect(of(key)?.value, `config keeps ${key}`).toEqual(value);
    const wrong = await project.say('config', 'set', 'limits.attempts', 'five');
    const attempts = (await project.say('config', 'get', 'limits.attempts')).stdout.trim();
    expect([wrong.code, attempts], 'a wrong type is refused, not stored').toEqual([3, '3']);
  });

  it('turn a list into tasks, which a program reads, changes and runs', { timeout: 300_000 }, async () => {
    await using project = await scratch();
    await setUp(project);
    const before = project.git('status', '--porcelain', '--untracked-files=no');

    const generated = await run(project, 'plan', 'todo.md', '--output', 'task_config.yaml', ...USING);
    expect([generated.code, generated.tasks.length], 'generate makes tasks and starts none').toEqual([0, 1]);
    expect(read(project, 'task_config.yaml'), 'they stand in a file to read').toContain('- id: auth');
    expect(readFileSync(join(project.root, 'prompt-tasks'), 'utf8'), 'the planner is given the list').toContain(
      '- [ ] Add user auth',
    );
    const again = await project.say('plan', 'todo.md', '--output', 'task_config.yaml', ...USING);
    expect(again.code, 'what a person may have changed is not written over').toBe(3);

    mkdirSync(join(project.root, 'meeting'));
    const all = await run(project, 'run', ...USING);
    expect([all.code, all.status], 'run takes the file of the folder').toEqual([0, 'done']);
    expect(readdirSync(join(project.root, 'meeting')), 'tasks are worked on at the same time').toHaveLength(2);
    const projects = new Set(readFileSync(join(project.root, 'projects'), 'utf8').trim().split('\n').slice(-2));
    expect([projects.size, projects.has(project.repo)], 'each has a workspace of its own').toEqual([2, false]);
    expect(project.git('ls-tree', '--name-only', all.branch ?? '')).toMatch(/auth\.txt[\s\S]*readme\.txt/);
    const prompt = readFileSync(join(project.root, 'prompt-implement'), 'utf8');
    expect(prompt, 'test instructions stand in the project of the command').toContain('Run the unit tests first.');
    expect(prompt).not.toContain('test -e base.txt');
    expect(prompt, 'key files are named').toContain('src/main.py');
    expect(all.tasks.flatMap(({ evidence }) => evidence.map(({ gate }) => gate))).toContain('test');

    rmSync(join(project.root, 'meeting'), { recursive: true });
    writeFileSync(join(project.repo, 'task_config.yaml'), fixture('task_config.yaml'));
    const one = await run(project, 'run', '--tasks', 'task1', ...USING);
    expect([one.code, one.tasks.map(({ name }) => name)], 'run --tasks takes only those').toEqual([0, ['task1']]);

    const shown = await project.say('show');
    expect(shown.stdout, 'status tells the last run').toContain(one.run);
    expect(existsSync(join(project.root, 'worktrees')), 'workspaces are in the folder of the settings').toBe(true);
    expect(project.git('status', '--porcelain', '--untracked-files=no'), 'the checkout is as it was').toBe(before);
    expect(project.git('branch', '--show-current')).toBe('main');
  });

  it.runIf(TESTS_ALL)(
    'stop for a review by default, or continue to reviewed pull requests',
    {
      timeout: 300_000,
    },
    async () => {
      await using project = await scratch();
      await setUp(project);
      const pulls = () => project.forge.state().pulls;

      const stopped = await run(project, 'run', 'todo.md', ...USING);
      expect([stopped.code, stopped.tasks.length], 'run stops when the tasks are made').toEqual([0, 1]);
      expect(read(project, 'tasks.yaml')).toContain('- id: auth');
      const executed = await run(project, 'run', 'todo.md', '--execute', ...USING);
      expect([executed.code, executed.tasks.length], '--execute does not stop').toEqual([0, 3]);
      expect(pulls(), '--execute opens no pull request').toEqual([]);

      const yolo = await run(project, 'yolo', 'todo.md', ...USING);
      expect([yolo.code, yolo.landed?.how], 'yolo continues to pull requests').toEqual([0, 'pr']);
      expect(pulls(), 'each task has one, against the destination').toMatchObject([
        { base: 'develop', draft: false },
        { base: 'develop', draft: false },
      ]);
      expect(pulls()[0]?.body, 'it says what was done').toContain('feat: add user auth');
      expect(
        yolo.landed?.pullRequests?.map(({ task }) => task),
        'the document lists all of them',
      ).toEqual(['task/1', 'task/2']);
      const listed = (await project.say('show')).stdout;
      expect(listed.match(/pull request {2}http/g), 'and so does show').toHaveLength(2);

      const looked = await run(project, 'review', '--pr', '1', '--yes', ...USING);
      expect([looked.code, pulls()[0]?.approvals.length], 'review --pr approves what passes').toEqual([0, 1]);
      expect(looked.tasks[0]?.role).toBe('review');
      const merged = await project.say('review', '--from-run', yolo.run, '--automerge', '--yes', ...USING, '--json');
      expect([merged.code, pulls()[0]?.state], `--from-run finds it again: ${merged.stderr}`).toEqual([0, 'merged']);
      const landed = execFileSync('git', ['--git-dir', project.remote, 'ls-tree', '--name-only', 'develop'], {
        encoding: 'utf8',
      });
      expect(landed, '--automerge merges what passed').toContain('auth.txt');
      const nobody = await project.say('review', ...USING);
      expect([nobody.code, nobody.stderr], 'with none open there is nothing to choose').toEqual([
        0,
        expect.stringContaining('no open pull request'),
      ]);

      await project.say('config', 'set', 'mode', 'yolo');
      const through = await run(project, 'run', 'todo.md', '--title', 'Once more', ...USING);
      expect([through.landed?.how, pulls().length], 'mode yolo does not stop').toEqual(['pr', 4]);
      await project.say('config', 'set', 'autoPr', 'false');
      const none = await run(project, 'run', 'todo.md', ...USING);
      expect([none.tasks.length, none.landed, pulls().length], 'autoPr: false opens none').toEqual([3, null, 4]);
    },
  );

  it('stop a hanging program, retry it as configured, and keep its work', {
    timeout: 180_000,
  }, async () => {
    await using project = await scratch();
    await setUp(project);
    setSettings(project, { limits: { inactivitySeconds: 1, attempts: 2 } });
    const tasks = 'tasks:\n  - { id: task-1, title: One, description: Write one.txt }\n';
    writeFileSync(
      join(project.repo, 'tasks.yaml'),
      `${tasks}  - { id: task-2, title: Two, branch: feature/task-2, description: Write silent.txt }\n`,
    );
    const ended = await run(project, 'run', ...USING);
    expect([ended.code, ended.status], 'a task that timed out is no success').toEqual([1, 'partial']);
    expect(
      ended.tasks.map(({ name, status, attempts }) => [name, status, attempts]),
      'each has its status and its attempts',
    ).toEqual([
      ['task-1', 'done', 1],
      ['task-2', 'failed', 2],
    ]);
    expect(ended.tasks[1]?.reason, 'the reason says what happened').toMatch(/1s|1 second|silent|nothing/);
    expect(project.git('show', 'feature/task-2:silent.txt'), 'its work is on its branch').toContain('attempt 1');
    const folder = (await project.say('open', ended.run, 'task/2')).stdout.trim();
    expect(existsSync(join(folder, 'silent.txt')), 'its workspace is there to go on by hand').toBe(true);
    expect(await project.leftovers(), 'nothing of it still runs').toEqual([]);
  });

  it.runIf(TESTS_ALL)(
    'are rehearsed without a model, one task for each open point of the list',
    { timeout: 240_000 },
    async () => {
      await using project = await scratch();
      await setUp(project);
      const planned = await run(project, 'plan', 'todo.md', '--rehearse');
      expect(planned.code).toBe(0);
      expect(
        [...read(project, 'tasks.yaml').matchAll(/title: (?!todo)(.+)/g)].map(([, title]) => title),
        'what is ticked off is left out',
      ).toEqual(['Add user auth', 'Fix the database connection', 'Update the readme']);
      const dry = await project.say('run', '--dry-run', '--rehearse');
      expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Update the readme')]);
      const done = await run(project, 'run', '--rehearse');
      expect([done.code, done.tasks.length, done.landed]).toEqual([0, 3, null]);
      const logs = await project.say('logs', done.run);
      expect(logs.stdout, 'logs have the promised marks').toMatch(/\[INIT\] .*rehearsal-[\s\S]*\[COMPLETE\]/);
      const yolo = await run(project, 'yolo', 'todo.md', '--rehearse');
      expect([yolo.code, yolo.landed?.how, yolo.tasks.length]).toEqual([0, 'pr', 4]);
      const reviewed = await run(project, 'review', '--pr', '1', '--rehearse', '--yes');
      expect([reviewed.code, project.forge.state().pulls[0]?.approvals.length]).toEqual([0, 1]);
    },
  );
});
