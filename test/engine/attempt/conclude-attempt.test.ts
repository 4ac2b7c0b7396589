import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { requeueTasks } from '../../../src/core/run/requeue.ts';
import { RunControl } from '../../../src/engine/loop/control-runs.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { errorCode } from '../../../src/errors.ts';
import { realWorld } from '../../../src/world.ts';
import { killGit } from '../../support/killed-git.ts';
import { makeRunProject } from '../run-project.ts';

/** A job whose agent writes how many git calls are killed after its end, and then ends successfully. */
async function makeJob(kills: number, work = 'true') {
  const script = `cat >/dev/null; echo run >>"$HOME/agents"; echo 1 >made.txt; ${work}; echo ${kills} >"$HOME/kills"; echo '{"usage":{"costUsd":0.25}}'`;
  const project = await makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': `#!/bin/sh\n${script}\n` },
    world: { ...realWorld, sleep: async () => {} },
    config: { checks: ['true'], limits: { attempts: 2, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 } },
  });
  const engine = project.newEngine();
  const active = await project.open(engine, 'Make a file');
  const run = async () => {
    engine.run(active);
    await engine.idle();
    return project.stateOf(active.id);
  };
  const control = new RunControl(engine, () => {});
  const origin = { actor: { kind: 'person', name: 'Ann' }, via: 'cli' } as const;
  return {
    ...project,
    file: join(project.root, 'kills'),
    run,
    retry: async (decide = retryTasks) => {
      await control.submit(active.id, (state) => decide(state, { reason: 'test' }), origin);
      return run();
    },
    stop: () => engine.stop(),
  };
}

/** A job whose agent does this, and whose shim leaves an empty exit code file, as on a full disk. */
async function runWithoutExitCode(work: string) {
  const empty = 'exit=$(ls -d "$HOME"/data/attempts/*/exit | grep -v gate | tail -n 1); : >"$exit"; kill -KILL "$PPID"';
  const project = await makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': `#!/bin/sh\ncat >/dev/null; echo run >>"$HOME/agents"; ${work}; ${empty}\n` },
    config: { checks: ['true'], limits: { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 } },
  });
  return { project, state: await project.run('Make a file') };
}

/** One call of each step that concludes an attempt with a git process of its own; those that answer many are killed in test/git. */
const STEPS = [
  ['the files of its work', '*\\ add\\ *', 'true'],
  ['the list of its files, which are many', '*\\ ls-files\\ *', 'mkdir many; (cd many; seq 600 | xargs touch)'],
  ['its inspection, where it replaces lines', '*\\ diff*|*\\ log\\ *', 'echo b >a.txt'],
];

describe('an attempt whose agent ended successfully', () => {
  it.each(STEPS)('is concluded again when git is killed once for %s', async (_name, pattern, work) => {
    await using project = await makeJob(1, work);
    using git = killGit(project.file, pattern);
    const state = await project.run();
    await project.stop();
    expect(git.left()).toBe(0);
    expect(state.status).toMatchObject({ kind: 'ended', status: 'done' });
    expect(project.lines('agents')).toEqual(['run']);
    expect(state.spent.costUsd).toBe(0.25);
  });

  it('waits as finished and not yet saved, and is saved by retry without being paid again', async () => {
    await using project = await makeJob(5);
    using git = killGit(project.file, '*\\ add\\ *');
    const blocked = await project.run();
    const task = blocked.tasks['job/1'];
    expect(task?.phase).toMatchObject({ status: 'blocked', unsaved: {} });
    expect(task?.phase.status === 'blocked' ? task.phase.reason : '').toMatch(/not yet saved.*git add was killed/);
    expect([blocked.spent.costUsd, blocked.reserved.costUsd]).toEqual([0.25, 0]);
    const done = await project.retry();
    await project.stop();
    expect(git.left()).toBe(0);
    expect(done.status).toMatchObject({ kind: 'ended', status: 'done' });
    expect(done.tasks['job/1']?.attempts).toHaveLength(1);
    expect([done.spent.costUsd, done.spentBy]).toEqual([0.25, { one: 0.25 }]);
    expect(project.lines('agents')).toEqual(['run']);
    expect(project.git('show', `mh/${done.start.run}:made.txt`)).toBe('1');
  });

  it('runs again only when a person queues it again', async () => {
    await using project = await makeJob(4);
    using git = killGit(project.file, '*\\ add\\ *');
    await project.run();
    expect(git.left()).toBe(0);
    project.writeHome('agents', 'run\n');
    const done = await project.retry((state, what) => requeueTasks(state, { ...what, task: 'job/1' }));
    await project.stop();
    expect(project.lines('agents')).toEqual(['run', 'run']);
    expect(done.spent.costUsd).toBe(0.5);
  });
});

describe('an attempt that ended without an exit code', () => {
  it('is judged by its work, and only repeated where there is none', async () => {
    const { project, state } = await runWithoutExitCode('echo 1 >made.txt');
    await using _ = project;
    expect(state.status).toMatchObject({ kind: 'ended', status: 'done' });
    expect(project.lines('agents')).toEqual(['run']);
    const work = 'test "$(wc -l <"$HOME/agents")" -eq 1 || echo 1 >made.txt';
    const { project: second, state: repeated } = await runWithoutExitCode(work);
    await using __ = second;
    expect(repeated.tasks['job/1']?.attempts[0]?.ended?.failure).toMatchObject({ kind: 'interrupted' });
    expect([second.lines('agents').length, repeated.status]).toMatchObject([2, { status: 'done' }]);
  });
});

/** Whether an agent that has written its id has ended: its shim may have noticed that before it was stopped. */
function hasEnded(pid: string | undefined): boolean {
  if (pid === undefined) return false;
  const file = `/proc/${pid}/stat`;
  return !existsSync(file) || readFileSync(file, 'utf8').includes(') Z ');
}

/** The engine that stops may have done so already: then the shim has ended. */
function continueShim(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

it('takes the result of an agent that ended just before it was stopped', async () => {
  const script = [
    'cat >/dev/null; echo run >>"$HOME/agents"; echo 1 >made.txt',
    // The shim cannot write the exit code until it is continued.
    'echo "$PPID" >"$HOME/shim"; kill -STOP "$PPID"; echo $$ >"$HOME/agent"',
  ];
  await using project = await makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': `#!/bin/sh\n${script.join('\n')}\n` },
    config: { checks: ['true'] },
  });
  const engine = project.newEngine();
  const active = await project.open(engine, 'Make a file');
  engine.run(active);
  await expect.poll(() => hasEnded(project.lines('agent')[0]), { timeout: 60_000 }).toBe(true);
  const stopping = engine.stop();
  continueShim(Number(project.lines('shim')[0]));
  await stopping;
  const next = project.newEngine();
  next.run(await openRun(next, active.id));
  await next.idle();
  await next.stop();
  const state = project.stateOf(active.id);
  expect(state.status).toMatchObject({ kind: 'ended', status: 'done' });
  expect(state.tasks['job/1']?.attempts).toHaveLength(1);
  expect(project.lines('agents')).toEqual(['run']);
});

it('refuses work that is larger than its limits by their names, keeps it, and saves it when it is smaller', async () => {
  const large = 'head -c 2000000 /dev/zero >large.bin; echo 1 >made.txt';
  const project = await makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': `#!/bin/sh\ncat >/dev/null; echo run >>"$HOME/agents"; ${large}\n` },
    config: { checks: ['true'], limits: { attempts: 1, workFileMb: 1, workFiles: 2, freeDiskMb: 0, freeMemoryMb: 0 } },
  });
  await using _ = project;
  const engine = project.newEngine();
  const active = await project.open(engine, 'Make a file');
  const run = async () => {
    engine.run(active);
    await engine.idle();
    return project.stateOf(active.id).tasks['job/1']?.phase;
  };
  const retry = async () => {
    const control = new RunControl(engine, () => {});
    const origin = { actor: { kind: 'person', name: 'Ann' }, via: 'cli' } as const;
    await control.submit(active.id, (state) => retryTasks(state, { reason: 'test' }), origin);
    return run();
  };
  const reason = (text: string) => ({ status: 'blocked', reason: expect.stringContaining(text) });
  expect(await run()).toMatchObject(reason('large.bin has 2 MB, and limits.workFileMb is 1'));
  const { workspaces } = project.home;
  const [name = ''] = readdirSync(workspaces);
  rmSync(join(workspaces, name, 'large.bin'));
  for (const file of ['b', 'c']) writeFileSync(join(workspaces, name, file), '');
  expect(await retry()).toMatchObject(reason('3 files are changed, and limits.workFiles is 2'));
  rmSync(join(workspaces, name, 'b'));
  expect(await retry()).toMatchObject({ status: 'done' });
  expect(project.lines('agents')).toEqual(['run']);
  await engine.stop();
});
