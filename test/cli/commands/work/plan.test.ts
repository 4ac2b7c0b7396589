import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testProgram } from '../../cli-run.ts';

const FILE = join(tmpdir(), 'there-is-no-such-folder', 'tasks.yaml');

describe('plan', () => {
  it('stays in the background to write the file even if another engine does the planning', async () => {
    const { detached, calls, code } = await testProgram({ engine: 'other', announced: '{"runs":["k3v9x2ab"]}' }).run(
      'plan',
      'A goal',
      '--output',
      FILE,
      '--detach',
    );
    expect([code, calls]).toEqual([0, []]);
    expect(detached).toEqual([['plan', 'A goal', '--output', FILE, '--background']]);
  });

  it.each([
    [['plan'], /Name a to-do list/],
    [['plan', 'more', '--run', 'k3v'], /--run writes the tasks of an earlier run: omit the goal/],
    [['plan', 'x', '--as', 'poem'], /'poem' is invalid/],
    [['plan', 'nowhere.md'], /nowhere\.md does not exist/],
    [['bulk', 'scan', '--glob', 'src'], /either --prompt or --template/],
    [['bulk', 'scan', '--prompt', 'x'], /--glob/],
    [['yolo'], /missing required argument/],
  ])('is rejected with a reason: %j', async (args, reason) => {
    const { code, stderr, calls } = await testProgram().run(...args);
    expect([code, calls.filter(({ name }) => name !== 'list-runs')]).toEqual([2, []]);
    expect(stderr).toMatch(reason);
  });
});
