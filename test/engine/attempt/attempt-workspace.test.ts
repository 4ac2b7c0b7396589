import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
import { recoverFromCrash } from '../../../src/engine/start/recover-from-crash.ts';
import { AppError } from '../../../src/errors.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
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
    /** Starts an attempt that is refused because the workspace was changed, and returns the message. */
    async refuse() {
      const error: unknown = await this.start().catch((thrown: unknown) => thrown);
      if (!(error instanceof AppError)) throw new Error('The changed workspace was accepted');
      expect(error.code).toBe('WORKSPACE_CHANGED');
      const { message, details } = error;
      const refusal = { kind: 'refused' as const, message, workspace: String(details.workspace) };
      const attempt = task().attempts.length;
      const end = { task: 'a', attempt, usage: { kind: 'none' as const }, summary: '', failure: refusal, now: 0 };
      await engine.submit(run, (state) => endAttempt(state, { ...end, follow: AGAIN })).committed;
      return message;
    },
    /** Retries the task with a decision about the changes in its workspace. */
    retry(changes: 'keep' | 'discard') {
      const reopened: RunEvent = { type: 'run.reopened', data: { tasks: ['a'], reason: 'a test', changes } };
      return engine.submit(run, () => [reopened]).committed;
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
    await task.refuse();
    await task.refuse();
    expect(existsSync(join(path, 'later.txt'))).toBe(true);
    await task.retry('discard');
    expect(existsSync(join((await task.start()).path, 'later.txt'))).toBe(false);
  });

  it('is not used when its HEAD or branch was changed, until a person decides', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    await task.fail();
    task.project.git('-C', path, 'switch', '-qc', 'elsewhere');
    expect(await task.refuse()).toContain('HEAD is ref: refs/heads/elsewhere instead of ref: refs/heads/task-1');
    task.project.git('-C', path, 'switch', '-q', 'task-1');
    task.project.git('-C', path, 'commit', '-q', '--allow-empty', '-m', 'by hand');
    expect(await task.refuse()).toMatch(/HEAD is at \w+ instead of/);
    await task.retry('keep');
    expect((await task.start()).path).toBe(path);
    expect(task.project.git('-C', path, 'log', '-1', '--format=%s')).toContain('by hand');
  });

  it('is recorded without a secret in the name of its branch, and is used again', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    task.project.git('-C', path, 'switch', '-qc', `feature/ghp_${'A1b2'.repeat(9)}`);
    expect(await task.fail()).toMatchObject({ checkedOut: 'ref: refs/heads/feature/[redacted]' });
    expect((await task.start()).path).toBe(path);
  });

  it('is provisioned with an empty list, or with one that names what is never saved', async () => {
    await using plain = await makeTask();
    expect(await plain.start()).toMatchObject({ excluded: [] });
    expect(await attemptWorkspaceOf(plain.engine, plain.run, plain.task())).toMatchObject({ excluded: [] });
    const setup = { setup: ['mkdir node_modules && echo installed >node_modules/dep.js'] };
    await using provisioned = await makeTask({}, { config: { workspace: setup } });
    const { excluded } = await provisioned.start();
    expect(excluded).toContain('node_modules');
    expect(await attemptWorkspaceOf(provisioned.engine, provisioned.run, provisioned.task())).toMatchObject({
      excluded,
    });
  });

  it('leaves no record behind when a killed engine had only begun to remove it', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    await task.fail();
    writeFileSync(`${path}.layers`, '{}');
    mkdirSync(`${path}.work`);
    renameSync(path, join(task.engine.home.root, 'moved'));
    await removeAttemptWorkspace(task.engine, task.run, task.task());
    expect(readdirSync(task.engine.home.workspaces)).toEqual([]);
  });

  it('leaves an index behind that the next engine removes, if its own engine was killed', async () => {
    await using task = await makeTask();
    const { path } = await task.start();
    const { home, store } = task.engine;
    const indexes = () => readdirSync(join(task.run.project.mirror.dir, 'manyhands', 'indexes'));
    await recoverFromCrash(home, store);
    expect(indexes()).toHaveLength(2);
    rmSync(path, { recursive: true });
    await recoverFromCrash(home, store);
    expect(indexes()).toEqual([]);
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
    ['a verification without a start command', { access: 'read', role: 'verify' }, setup, true],
    ['a verification with a start command', { access: 'read', role: 'verify', serve }, setup, true],
    ['a reading role', { access: 'read', role: 'measure' }, custom(''), false],
    ['a reading role that requires them', { access: 'read', role: 'measure' }, custom('dependencies: true\n'), true],
  ])('of %s', async (_task, more, options, isInstalled) => {
    await using task = await makeTask(more, options);
    const { path } = await task.start();
    expect(existsSync(join(path, 'installed/lib'))).toBe(isInstalled);
  });
});
