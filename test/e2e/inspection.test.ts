import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAndReport } from '../hostile/hostile-run.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Made up, and put together here so that this file holds none. */
const SECRET = `AKIA${'QYLPMN5HHHFPZAM2'}`;
/** The same as the shell reads it: the agent's own text holds no secret either. */
const WRITTEN = `${SECRET.slice(0, 8)}''${SECRET.slice(8)}`;
const SETTINGS = 'limits: { attempts: 3, retryDelaySeconds: 0 }\n';

/** A project with an agent of its own: shell text that finds its prompt in $prompt and can commit. */
function withAgent(text: string, settings = ''): Promise<Scratch> {
  const agent = `#!/bin/sh\nprompt=$(cat)\ncommit() { git add -A && git -c user.name=a -c user.email=a@x commit -q "$@"; }\n${text}\n`;
  const files = { 'src/a.js': 'let a;\n', 'docs/a.md': 'a\n', 'agent.sh': agent };
  return makeScratch({ files: { ...files, '.manyhands/config.yaml': `${SETTINGS}${settings}` } });
}

function databases(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.db(-wal)?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const job = (project: Scratch, ...options: string[]) =>
  runAndReport(project, 'job', 'Do it', '--agent', 'command:./agent.sh', ...options);

describe('work that contains a secret', () => {
  it('is rejected once, then waits for the user, who can allow it by its fingerprint', async () => {
    await using project = await withAgent(`echo key ${WRITTEN} | tee conf.txt`);
    const { run, code } = await job(project);
    const [task] = run.tasks;
    expect(code).toBe(4);
    expect(task).toMatchObject({ status: 'blocked', attempts: 2, flags: [{ risk: 'secret-like-output' }] });
    expect(task?.evidence).toMatchObject([{ gate: 'secrets', verdict: 'fail' }]);
    expect(project.git('branch', '--list', 'mh/*')).toBe('');
    expect(JSON.stringify(run) + databases(project.home)).not.toContain(SECRET);
    const [, fingerprint = ''] = /fingerprint ([0-9a-f]{16})/.exec(task?.evidence[0]?.output ?? '') ?? [];
    const allowed = `${SETTINGS}secrets: { allow: ["${fingerprint}"] }\n`;
    writeFileSync(join(project.repo, '.manyhands/config.yaml'), allowed);
    expect((await job(project)).run).toMatchObject({ status: 'unverified', tasks: [{ attempts: 1, status: 'done' }] });
  });

  it('lands when the next attempt rewrites its commits without it', async () => {
    await using project = await withAgent(
      `case "$prompt" in *"git reset --soft"*) git reset -q --soft "$(echo "$prompt" | sed -n 's/^git reset --soft \\([0-9a-f]*\\).*/\\1/p')"; rm conf.txt; echo clean > c; exit;; esac
       echo ${WRITTEN} > conf.txt; commit -m one; echo hidden > conf.txt; commit -m two`,
    );
    const { run } = await job(project);
    expect(run.tasks[0]).toMatchObject({
      status: 'done',
      attempts: 2,
      evidence: [{ gate: 'secrets', verdict: 'pass' }],
    });
    expect(project.git('log', '--format=%s', '--all', `-S${SECRET}`)).toBe('');
  });
});

describe('work outside its scope', () => {
  it('is detected even if it was committed and reverted, and never lands', async () => {
    await using project = await withAgent(
      'echo x >> docs/a.md; commit -m one; git checkout -q HEAD~1 -- docs/a.md; echo b >> src/a.js; commit -m two',
    );
    const { run, code } = await job(project, '--scope-allow', 'src');
    expect(code).toBe(4);
    expect(run.tasks[0]?.evidence.find(({ gate }) => gate === 'scope')).toMatchObject({
      verdict: 'fail',
      summary: expect.stringContaining('docs/a.md is outside of what is allowed'),
    });
    expect(run.tasks[0]?.flags).toMatchObject([{ risk: 'scope-violation', severity: 'high' }]);
    expect(project.git('branch', '--list', 'mh/*')).toBe('');
  });

  it('is described to the agent in its prompt', async () => {
    await using project = await withAgent('echo "$prompt" > src/prompt.txt');
    await job(project, '--scope-allow', 'src', '--scope-deny', 'src/gen', '--max-diff-lines');
    expect(
      project.git('show', `${project.git('branch', '--list', '--format=%(refname)', 'mh/*')}:src/prompt.txt`),
    ).toMatch(/no file is touched but src\n- nothing is touched of src\/gen\n- at most 800 lines are changed/);
  });
});

it('holds files that no check can verify, if the settings require it, until the user approves them', async () => {
  await using project = await withAgent('echo x > a.unheard', 'syntax: { all: true, unchecked: hold }\n');
  const { run } = await job(project);
  expect(run.tasks[0]).toMatchObject({ status: 'held', flags: [{ risk: 'not-checked', blocking: true }] });
  expect((await runAndReport(project, 'approve', run.run)).run.tasks[0]).toMatchObject({ status: 'done' });
});
