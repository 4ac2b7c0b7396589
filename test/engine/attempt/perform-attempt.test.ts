import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runStream } from '../../../src/schema/ids.ts';
import { makeRunProject } from '../run-project.ts';

/** A run of one job by a program with this script. */
async function makeJob(script: string, config: Record<string, unknown> = {}) {
  return makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': `#!/bin/sh\n${script}\n` },
    config: { limits: { attempts: 2, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }, ...config },
  });
}

describe('an attempt', () => {
  it('records its claim and its process before the agent starts, and its end after the work is saved', async () => {
    await using project = await makeJob('cat >/dev/null; echo 1 >made.txt; echo \'{"usage":{"costUsd":0.25}}\'');
    const state = await project.run('Make a file');
    const types = project.store.read(runStream(state.start.run)).map(({ type }) => type);
    const order = ['attempt.started', 'attempt.spawned', 'attempt.ended', 'task.landing'];
    expect(types.filter((type) => order.includes(type))).toEqual(order);
    const attempt = state.tasks['job/1']?.attempts[0];
    expect(attempt?.ended).toMatchObject({ failure: null, saved: { changed: true } });
    expect([state.spent.costUsd, state.reserved.costUsd]).toEqual([0.25, 0]);
  });

  it('gets its prompt, and the lesson of the attempt before it', async () => {
    const script =
      'cat >"$HOME/prompt-$(ls "$HOME" | grep -c prompt)"; [ -e "$HOME/prompt-1" ] && echo 1 >bad || touch bad';
    await using project = await makeJob(script, { checks: ['test -s bad'] });
    const state = await project.run('Write the file named bad');
    expect(state.tasks['job/1']?.attempts).toHaveLength(2);
    expect(project.lines('prompt-0').join('\n')).toContain('Write the file named bad');
    expect(project.lines('prompt-1').join('\n')).toContain('failed on the merged tree');
    expect(state.status).toMatchObject({ status: 'done' });
  });

  it('that changes nothing is a failure, and its task fails after the last attempt', async () => {
    await using project = await makeJob('cat >/dev/null');
    const state = await project.run('Make a file');
    const task = state.tasks['job/1'];
    expect(task?.attempts.map(({ ended }) => ended?.failure?.kind)).toEqual(['no-change', 'no-change']);
    expect([task?.phase.status, state.status]).toMatchObject(['failed', { kind: 'ended', status: 'failed' }]);
  });

  it('leaves no workspace behind once its task is done, and keeps that of a failed task', async () => {
    await using done = await makeJob('cat >/dev/null; echo 1 >made.txt');
    const { start } = await done.run('Make a file');
    expect(existsSync(join(done.home.workspaces, `${start.run}-1`))).toBe(false);
    await using failed = await makeJob('cat >/dev/null; echo 1 >bad; exit 1');
    const state = await failed.run('Make a file');
    expect(existsSync(join(failed.home.workspaces, `${state.start.run}-1`))).toBe(true);
  });

  it('is stopped when it writes nothing for longer than its limit', async () => {
    const limits = { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0, inactivitySeconds: 1 };
    await using project = await makeJob('cat >/dev/null; sleep 60', { limits });
    const state = await project.run('Wait');
    expect(state.tasks['job/1']?.attempts[0]?.ended?.failure).toMatchObject({ kind: 'stalled' });
  });
});
