import { expect, it } from 'vitest';
import { makeRunProject } from '../run-project.ts';

const LIMITS = { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 };

/** Reports a cost and continues; its work would be done only much later. */
const EXPENSIVE = `#!/bin/sh\ncat >/dev/null; echo expensive >>"$HOME/agents"; echo '{"usage":{"costUsd":25}}'; sleep 60; echo 1 >made.txt\n`;
const CHEAP = `#!/bin/sh\ncat >/dev/null; echo cheap >>"$HOME/agents"; echo 1 >made.txt; echo '{"usage":{"costUsd":0.01}}'\n`;
const FAST = `#!/bin/sh\ncat >/dev/null; echo 1 >made.txt; echo '{"usage":{"costUsd":3}}'\n`;

it.each(['spendUsd', 'spendUsdPerDay'])('an agent over its %s is stopped, and another one takes over', async (cap) => {
  const agents = {
    one: { kind: 'command', command: '../one.sh', [cap]: 0.2 },
    two: { kind: 'command', command: '../two.sh' },
  };
  await using project = await makeRunProject({
    config: { agents, routing: { order: ['one', 'two'] }, limits: LIMITS, checks: ['true'] },
    files: { '../one.sh': EXPENSIVE, '../two.sh': CHEAP },
  });
  const state = await project.run('Make a file');
  expect(state.status).toMatchObject({ kind: 'ended', status: 'done' });
  expect(project.lines('agents')).toEqual(['expensive', 'cheap']);
  expect(state.spentBy).toEqual({ one: 25, two: 0.01 });
  const [first, second] = state.tasks['job/1']?.attempts ?? [];
  expect(first?.ended?.failure).toMatchObject({
    kind: 'budget',
    message: expect.stringContaining('Spending cap of the agent exceeded'),
  });
  expect(second?.because).toContain('one is over its spending cap ($25.00 of $0.20');
});

it('a run whose only agent is over its cap is blocked with the reason, also the next run of the day', async () => {
  const agents = { one: { kind: 'command', command: '../one.sh', spendUsdPerDay: 0.2 } };
  await using project = await makeRunProject({ config: { agents, limits: LIMITS }, files: { '../one.sh': EXPENSIVE } });
  for (const _run of [1, 2]) {
    const state = await project.run('Make a file');
    expect(state.tasks['job/1']?.phase).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('one is over its spending cap ($25.00 of $0.20 today)'),
    });
  }
  expect(project.lines('agents')).toEqual(['expensive']);
});

it('an attempt over its budget fails also where it ended before that was noticed', async () => {
  await using project = await makeRunProject({
    agent: { kind: 'command', command: '../one.sh', env: {} },
    config: { limits: LIMITS, budget: { run: 5, attempt: 1 } },
    files: { '../one.sh': FAST },
  });
  const state = await project.run('Make a file');
  expect(state.tasks['job/1']?.attempts[0]?.ended?.failure).toMatchObject({ kind: 'budget' });
  expect([state.spent.costUsd, state.status]).toMatchObject([3, { status: 'failed' }]);
});
