import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endAttempt, startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { addTasks } from '../../../src/core/run/add-tasks.ts';
import { taskOf } from '../../../src/core/run/phase.ts';
import {
  attemptWorkspaceOf,
  nextSave,
  prepareAttemptWorkspace,
  removeAttemptWorkspace,
  saveAttemptWorkspace,
} from '../../../src/engine/attempt/attempt-workspace.ts';
import type { TaskSpec } from '../../../src/schema/task.ts';
import { failure, spec } from '../../support/given.ts';
import { makeRunProject, type RunProjectOptions } from '../run-project.ts';

const NONE = { costUsd: 0, tokens: 0, turns: 0 };
const AGAIN = { action: 'retry' as const, delayMs: 0, resume: false, free: false };

/** A run with one task, whose attempts are started and ended by the test. */
async function makeTask(more: Partial<TaskSpec> = {}, options: RunProjectOptions = {}) {
  const project = await makeRunProject(options);
  const engine = project.newEngine();
  const run = await project.open(engine, 'Do it');
  await engine.submit(run, (state) => addTasks(state, [spec('a', more)])).committed;
  const task = () => taskOf(run.ledger.state, 'a');
  return {
    project,
    engine,
    run,
    task,
    /** Claims an attempt and prepares its workspace. */
    async start() {
      const base = run.ledger.state.tip.commit;
      const claim = { task: 'a', agent: 'one', because: 'a test', base, reservation: NONE };
      await engine.submit(run, (state) => startAttempt(state, claim)).committed;
      const step = engine.activities.begin({ run }, { kind: 'workspace', what: 'a test' });
      return prepareAttemptWorkspace(engine, run, task(), { signal: engine.stopping, step });
    },
    /** Saves the workspace and ends the attempt with a failure that is retried. */
    async fail() {
      const { number } = task().attempts.at(-1) ?? { number: 0 };
      const workspace = await attemptWorkspaceOf(engine, run, task());
      const saved = await saveAttemptWorkspace(run, task(), workspace, {
        number,
        save: await nextSave(run, task(), number),
      });
      const usage = { kind: 'none' as const };
      const end = {
        task: 'a',
        attempt: number,
        usage,
        summary: '',
        saved,
        failure: failure('tests'),
        follow: AGAIN,
        now: 0,
      };
      await engine.submit(run, (state) => endAttempt(state, end)).committed;
      return saved;
    },
    async [Symbol.asyncDispose]() {
      await engine.stop();
      await project[Symbol.asyncDispose]();
    },
  };
}

describe('the workspace of a task', () => {
  it('is a clone of its own, apart from the repository of the user', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    expect(path.startsWith(task.project.home.workspaces)).toBe(true);
    expect(existsSync(join(path, '.git'))).toBe(true);
    writeFileSync(join(path, 'made.txt'), 'made\n');
    expect(existsSync(join(task.project.repo, 'made.txt'))).toBe(false);
  });

  it('is saved with all that is in it, committed or not, under a ref of the mirror', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    writeFileSync(join(path, 'untracked.txt'), 'u\n');
    const saved = await task.fail();
    const files = task.project.git('--git-dir', task.run.project.mirror.dir, 'ls-tree', '--name-only', saved.ref);
    expect(files.split('\n')).toContain('untracked.txt');
    expect(await nextSave(task.run, task.task(), 1)).toBe(2);
  });

  it('is kept for the next attempt', async () => {
    await using task = await makeTask();
    const first = await task.start();
    writeFileSync(join(first.path, 'half.txt'), 'half\n');
    await task.fail();
    const second = await task.start();
    expect(second.path).toBe(first.path);
    expect(existsSync(join(second.path, 'half.txt'))).toBe(true);
  });

  it('is not used when it was changed after the attempt, and that state is saved', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    await task.fail();
    writeFileSync(join(path, 'later.txt'), 'later\n');
    await expect(task.start()).rejects.toMatchObject({ code: 'WORKSPACE_CHANGED' });
    expect(existsSync(join(path, 'later.txt'))).toBe(true);
  });

  it('is rebuilt from the last saved work when it is gone', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    writeFileSync(join(path, 'half.txt'), 'half\n');
    await task.fail();
    await removeAttemptWorkspace(task.engine, task.run, task.task());
    expect(existsSync(path)).toBe(false);
    const { path: rebuilt } = await task.start();
    expect(existsSync(join(rebuilt, 'half.txt'))).toBe(true);
  });
});

describe('the dependencies of a workspace', () => {
  const setup = { config: { workspace: { setup: ['mkdir installed && echo ok >installed/lib'] } } };
  const serve = { run: 'true', readyMs: 1000, url: 'http://127.0.0.1:{port}' };
  const custom = (header: string) => ({
    ...setup,
    files: {
      '.manyhands/roles/measure.md': `---\nrole: measure\nsummary: Measures.\naccess: read\n${header}---\n{{task}}\n`,
    },
  });

  it.each<[string, Partial<TaskSpec>, RunProjectOptions, boolean]>([
    ['a task that writes', { access: 'write' }, setup, true],
    ['a plan', { access: 'read', role: 'plan' }, setup, false],
    ['a verification without a start command', { access: 'read', role: 'verify' }, setup, false],
    ['a verification with a start command', { access: 'read', role: 'verify', serve }, setup, true],
    ['a reading role', { access: 'read', role: 'measure' }, custom(''), false],
    ['a reading role that requires them', { access: 'read', role: 'measure' }, custom('dependencies: true\n'), true],
  ])('of %s', async (_task, more, options, isInstalled) => {
    await using task = await makeTask(more, options);
    const { path } = await task.start();
    expect(existsSync(join(path, 'installed/lib'))).toBe(isInstalled);
  });
});
