import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { added, attempted, evidence, spec, started } from '../support/given.ts';
import { documentOf, type Script, shown, testProgram } from './cli-run.ts';

const DOCUMENT = documentOf(shown([started(), added(spec('plan/1'), spec('implement/1.1')), attempted('plan/1')]));
const SUMMARY = { ...DOCUMENT, carried: false, tasks: 2, done: 1 };
const cwd = tmpdir();

afterEach(() => vi.restoreAllMocks());

describe('ls', () => {
  it('lists runs in columns, and prints which ones no engine is running', async () => {
    const { stdout, stderr } = await testProgram({ cwd, engine: 'none', answers: { 'list-runs': [SUMMARY] } }).run(
      'ls',
    );
    const [head, row] = stdout.split('\n');
    expect(head).toMatch(/^RUN +STATUS +TASKS +TIME +COST +STARTED +TITLE$/);
    expect(row).toMatch(/^r0000001 +◌ interrupted +1\/2 .* A run$/);
    expect(stderr).toContain('No engine is running run r0000001. Continue with: manyhands resume r0000001');
  });
});

describe('salvage, inbox and warnings', () => {
  it('name tasks by the ids of the work file', async () => {
    const at = '2026-01-01T10:00:00.000Z';
    const about = { run: 'r0000001', task: 'task/1', label: 'login', attempt: 1, at };
    const saved = { ...about, ref: 'refs/x', commit: 'c0ffee', landed: false, files: 1, detail: 'Sign in' };
    const waiting = {
      ...about,
      what: 'held',
      reason: 'it changes the tests',
      files: [],
      nextStep: 'manyhands approve',
    };
    const item = { ...waiting, title: 'Work', taskTitle: 'Sign in', project: '/p', projectId: 'p', recipe: 'tasks' };
    const answers = {
      'list-salvage': [saved],
      'list-inbox': [{ ...item, since: at }],
      'list-warnings': [{ ...about, sign: null, message: 'it repeats itself' }],
    };
    for (const command of ['salvage', 'inbox', 'warnings']) {
      const { stdout } = await testProgram({ cwd, answers }).run(command);
      expect(stdout).toMatch(/\blogin\b/);
      expect(stdout).not.toContain('task/1');
    }
  });
});

describe('logs', () => {
  const line = {
    id: 1,
    run: 'r0000001',
    task: 'plan/1',
    attempt: 1,
    at: '2026-01-01T10:00:00.000Z',
    kind: 'text',
    text: 'hi',
  };
  const streams = {
    'read-logs': async function* () {
      yield line;
    },
  };

  it('prints lines, or one array with --json, also when following', async () => {
    const printed = await testProgram({ cwd, streams, answers: { 'show-run': DOCUMENT } }).run('logs');
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringMatching(/plan\/1 \[TEXT\] hi\n$/)]);
    const followed = await testProgram({ cwd, streams, answers: { 'show-run': DOCUMENT } }).run('logs', '-f', '--json');
    expect(JSON.parse(followed.stdout)).toEqual([line]);
  });

  it('end with the output of the checks that failed, of the requested task only', async () => {
    const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output: 'expected 1\n' };
    const document = documentOf(
      shown([
        started(),
        added(spec('plan/1'), spec('implement/1.1')),
        { type: 'gate.ended', data: { tasks: ['implement/1.1'], commit: 'c', evidence: failed } },
      ]),
    );
    const program = { cwd, streams, answers: { 'show-run': document } };
    const { stdout } = await testProgram(program).run('logs', 'r0000001', '--task', '1.1');
    expect(stdout).toContain('implement/1.1: npm test: fail\n    command: npm test\n    exit code 3 after 1ms\n');
    expect(stdout).toMatch(/\n {6}expected 1\n$/);
    expect((await testProgram(program).run('logs', 'r0000001', '--task', 'plan/1')).stdout).not.toContain('npm test');
  });

  it('refuses --follow --json for a run that would never end', async () => {
    const { code, stdout } = await testProgram({ cwd, streams, engine: 'none', answers: { 'show-run': DOCUMENT } }).run(
      'logs',
      '-f',
      '--json',
    );
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toContain('is running and no engine is running it');
  });
});

describe('usage', () => {
  const row = {
    name: 'ada',
    attempts: 2,
    calls: 4,
    unknown: 0,
    inputTokens: 900,
    outputTokens: 80,
    cachedTokens: 5,
    turns: 3,
    uncharged: 0,
    cost: 0.25,
  };
  const unreported = { ...row, name: 'grace', attempts: 1, unknown: 1, uncharged: 0, cost: 1 };

  it('prints a line for each and their sum, and counts the attempts of unknown usage', async () => {
    const { code, stdout, stderr } = await testProgram({ cwd, answers: { usage: [unreported, row] } }).run('usage');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'ATTEMPTS  CALLS  INPUT  CACHED  OUTPUT  TURNS    COST  AGENT',
        '       1      4    900       5      80      3  ≤$1.00  grace',
        '       2      4    900       5      80      3   $0.25  ada',
        '       3      8   1800      10     160      6  ≤$1.25  total',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('1 attempt did not report usage; the reserved amount is counted instead.\n');
  });

  it('prints the rows unchanged with --json, and no sum for a single row', async () => {
    expect(
      JSON.parse((await testProgram({ cwd, answers: { usage: [unreported] } }).run('usage', '--json')).stdout),
    ).toEqual([unreported]);
    expect((await testProgram({ cwd, answers: { usage: [row] } }).run('usage', '--by', 'model')).stdout).toMatch(
      /MODEL\n.* ada\n$/,
    );
  });

  it('prints that there is no usage', async () => {
    const { code, stdout, stderr } = await testProgram({ cwd, answers: { usage: [] } }).run('usage', '--all');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'There is no usage yet.\n' });
  });
});

describe('doctor', () => {
  const lines = [
    { name: 'git', ok: true, required: true, detail: '2.43.0', fix: null },
    { name: 'containment', ok: false, required: false, detail: 'no cgroup', fix: 'Mount cgroup v2.' },
  ];

  it('prints a mark, a name and a detail, and how to fix what is missing', async () => {
    const { code, stdout } = await testProgram({ cwd, answers: { doctor: lines } }).run('doctor');
    expect(code).toBe(0);
    expect(stdout).toBe('✓ git          2.43.0\n! containment  no cgroup\n               fix: Mount cgroup v2.\n');
  });

  it('exits with 3 when something required is missing', async () => {
    const broken = [{ name: 'git', ok: false, required: true, detail: 'not found', fix: 'Install git.' }];
    expect(await testProgram({ cwd, answers: { doctor: broken } }).run('doctor')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('✗ git'),
    });
  });
});

describe('open', () => {
  it('prints the folders of a run, workspaces first, or those of one task', async () => {
    const home = await mkdtemp(join(tmpdir(), 'mh-open-'));
    try {
      for (const folder of [
        'workspaces/r0000001-2',
        'attempts/r0000001-1-1',
        'attempts/r0000001-2-1',
        'attempts/r0000001-2-10',
        'attempts/r0000001-gate-x',
        'attempts/other-1-1',
      ]) {
        await mkdir(join(home, folder), { recursive: true });
      }
      const script = { cwd, env: { MANYHANDS_HOME: home }, answers: { 'show-run': DOCUMENT } };
      const all = await testProgram(script).run('open');
      expect(
        all.stdout
          .trim()
          .split('\n')
          .map((path) => path.slice(home.length + 1)),
      ).toEqual(['workspaces/r0000001-2', 'attempts/r0000001-2-10', 'attempts/r0000001-2-1', 'attempts/r0000001-1-1']);
      expect((await testProgram(script).run('open', 'r0', 'implement/1.1')).stdout).toBe(
        `${join(home, 'workspaces/r0000001-2')}\n`,
      );
      expect(await testProgram(script).run('open', 'r0', 'nothing/1')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('no task nothing/1'),
      });
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe('config', () => {
  it('gets, sets, lists and unsets through the files', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mh-config-'));
    try {
      await mkdir(join(root, '.git'));
      await mkdir(join(root, 'deep'));
      const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'settings'), MANYHANDS_HOME: join(root, 'data') };
      const script = { cwd: join(root, 'deep'), env, isReal: true };
      const initial = (await testProgram(script).run('config', 'get', 'limits.agents')).stdout;
      expect(initial).toMatch(/^\d+\n$/);
      expect((await testProgram(script).run('config', 'set', 'limits.agents', '8')).code).toBe(0);
      expect(await readFile(join(root, '.manyhands/config.yaml'), 'utf8')).toBe('limits:\n  agents: 8\n');
      expect((await testProgram(script).run('config', 'set', 'checks', '["npm test"]', '--global')).code).toBe(0);
      const list = JSON.parse((await testProgram(script).run('config', 'list', '--json')).stdout);
      expect(list).toContainEqual(expect.objectContaining({ key: 'checks', value: ['npm test'], from: 'global' }));
      expect(JSON.parse((await testProgram(script).run('config', 'get', 'limits.agents', '--json')).stdout)).toEqual({
        key: 'limits.agents',
        value: 8,
        from: 'project',
      });
      const agent = '{ kind: command, command: x, env: { MY_KEY: hunter2-hunter2 } }';
      const secret = await testProgram(script).run('config', 'set', 'agents.hand', agent, '--global');
      expect(secret.stderr).toContain('"MY_KEY":"[hidden]"');
      const secrets = [
        ['integrations.linear.key', 'lin-hunter2'],
        ['notify', '[{ kind: webhook, url: "https://x.example/y", token: hunter2-token }]'],
        ['integrations.databases.shop.url', 'postgres://ann:hunter2@localhost/shop'],
        ['errors.report', 'https://hunter2@x.example/1'],
      ];
      for (const [key = '', value = ''] of secrets) {
        const set = await testProgram(script).run('config', 'set', key, value, '--global');
        expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining('[hidden]') });
        expect(set.stdout + set.stderr, key).not.toContain('hunter2');
      }
      const variable = await testProgram(script).run('config', 'set', 'integrations.linear.key', '$KEY', '--global');
      expect(variable.stderr).toContain('integrations.linear.key = $KEY');
      const settings = join(root, 'settings', 'manyhands');
      const modes = [settings, join(settings, 'config.yaml')].map((path) => statSync(path).mode & 0o777);
      expect(modes).toEqual([0o700, 0o600]);
      const only = ['config', 'set', 'errors.report', 'http://localhost:4318'];
      expect((await testProgram(script).run(...only)).stderr).toContain(
        "note: It has no effect in a project's file: it sends data out. To set it for yourself, add --global.",
      );
      expect((await testProgram(script).run(...only, '--global')).stderr).not.toContain('note:');
      await testProgram(script).run('config', 'unset', 'limits.agents');
      expect((await testProgram(script).run('config', 'get', 'limits.agents')).stdout).toBe(initial);
      await writeFile(join(root, '.manyhands/config.yaml'), 'land: 5\n');
      expect(await testProgram(script).run('config', 'get', 'land')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/config\.yaml:1:7: land: found 5; allowed: branch \| merge \| pr\nhint: /),
      });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});

describe('completion', () => {
  const answers = { 'list-runs': [SUMMARY], 'show-run': DOCUMENT };

  const completed = (...words: string[]) => completedIn({ cwd, answers }, ...words);

  async function completedIn(script: Script, ...words: string[]): Promise<string[]> {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(text));
    expect((await testProgram(script).run('complete', '--', ...words)).code).toBe(0);
    return printed.map((line) => line.split('\t')[0] ?? '').filter((line) => !line.startsWith(':'));
  }

  it('offers commands, options, choices, runs, tasks and settings', async () => {
    expect(await completed('sho')).toEqual(['show']);
    expect(await completed('do', '--re')).toEqual(['--repair-base', '--rehearse']);
    expect(await completed('do', '--land', '')).toEqual(['branch', 'merge', 'pr']);
    expect(await completed('show', '')).toEqual(['r0000001']);
    expect(await completed('approve', 'r0000001', '')).toEqual(['plan/1', 'implement/1.1']);
    const named = { ...DOCUMENT, tasks: DOCUMENT.tasks.map((task) => ({ ...task, key: 'task/1', name: 'login' })) };
    const own = { cwd, answers: { ...answers, 'show-run': named } };
    expect(await completedIn(own, 'approve', 'r0000001', 'l')).toContain('login');
    expect(await completed('config', 'get', 'limits.run')).toEqual(['limits.runAttempts', 'limits.runtimeSeconds']);
  });

  it('offers the templates, batches and collections of the project', async () => {
    const empty = { open: 0, failed: 0, cost: 0, createdAt: '2026-01-01T00:00:00.000Z' };
    const collections = ['nightly', 'two words'].map((name) => ({ name, runs: 2, ...empty }));
    const own = { 'list-collections': collections, 'list-batches': { batches: [{ name: 'docs' }], mistakes: [] } };
    const templates = { templates: [{ name: 'bugfix' }, { name: 'feature' }], mistakes: [] };
    const script = { cwd, answers: { ...answers, ...own, 'list-templates': templates } };
    expect(await completedIn(script, 'template', 'show', 'bug')).toEqual(['bugfix']);
    expect(await completedIn(script, 'job', '--template', 'bug')).toEqual(['bugfix']);
    expect(await completedIn(script, 'batch', 'run', '')).toEqual(['docs']);
    expect(await completedIn(script, 'collection', 'show', '')).toEqual(['nightly']);
    expect(await completedIn(script, 'ls', '--collection', 'n')).toEqual(['nightly']);
  });

  it('prints nothing without a project', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(text));
    expect(await testProgram({ cwd }).run('complete', '--', 'show', '')).toMatchObject({ code: 0, stderr: '' });
    expect(printed).toEqual([':4']);
  });

  for (const shell of ['bash', 'zsh', 'fish']) {
    it(`prints a script for ${shell} that serves both names`, async () => {
      const { stdout } = await testProgram().run('completion', shell);
      expect(stdout).toContain('manyhands complete --');
      expect(stdout).toContain('mh complete --');
    });
  }

  it('prints a script for bash that can be sourced twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mh-completion-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { stdout } = await testProgram().run('completion', 'bash');
    const script = join(folder, 'completion.bash');
    await writeFile(script, stdout);
    const sourced = spawnSync('bash', ['-c', 'source "$0" && source "$0" && complete -p mh', script], {
      encoding: 'utf8',
    });
    expect(sourced.stderr).toBe('');
    expect(sourced.stdout).toContain('mh');
  });
});
