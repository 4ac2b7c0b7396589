import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument } from '../../src/schema/document.ts';
import { makeShop, type Shop } from './shop.ts';

const AGENT = `#!/bin/sh
cat > /dev/null
case "$MANYHANDS_ROLE" in
  tasks) echo '{"tasks":[{"id":"hello","title":"Say hello","description":"Write hello.txt"},{"id":"bye","title":"Say bye","description":"Write bye.txt","needs":["hello"]}]}' ;;
  review) echo '{"findings":[],"summary":"fine"}' ;;
  *) echo "$MANYHANDS_TASK" > "$(echo "$MANYHANDS_TASK" | tr / -).txt" ;;
esac
`;

describe.concurrent('yolo mode', { timeout: 120_000 }, () => {
  it('turns a to-do list into tasks, runs them, opens a pull request for each and has them reviewed', async () => {
    await using shop = await makeShop('github');
    const { code, json, stderr } = await shop.runJson(['yolo', ...prepared(shop), '--with-review', '--yes']);
    const [work, ...reviews] = z.array(RunDocument).parse(json);
    const statuses = reviews.map(({ status }) => status);
    expect([code, work?.status, statuses], stderr).toEqual([0, 'done', ['done', 'done']]);
    expect(work).toMatchObject({ recipe: 'todo', landed: { how: 'pr', branch: 'main' } });
    expect(work?.tasks.map(({ name }) => name)).toEqual([null, 'hello', 'bye']);
    const pulls = shop.forge.state().pulls.map(({ head, draft, approvals }) => [head, draft, approvals.length]);
    expect(pulls).toEqual([
      [`mh-tasks/${work?.run}/task-1`, false, 1],
      [`mh-tasks/${work?.run}/task-2`, false, 1],
    ]);
  });

  it('opens no pull request with --no-pr, nor with --execute', async () => {
    await using shop = await makeShop('github', 'mode: yolo\n');
    const what = prepared(shop);
    const through = await shop.runJson(['yolo', ...what, '--no-pr']);
    const here = await shop.runJson(['run', ...what, '--execute', '--sequential']);
    expect([through.code, through.run?.landed, here.code, here.run?.landed], here.stderr).toEqual([0, null, 0, null]);
    expect(here.run?.tasks).toHaveLength(3);
    expect(shop.forge.state().pulls).toEqual([]);
  });

  it('is what run does with mode yolo', async () => {
    await using shop = await makeShop('github', 'mode: yolo\n');
    const { run, stderr } = await shop.runJson(['run', ...prepared(shop)]);
    expect(run?.landed?.how, stderr).toBe('pr');
  });
});

/** A to-do list and an agent beside the project, as arguments. */
function prepared({ scratch }: Shop): string[] {
  const agent = join(scratch.root, 'agent.sh');
  const todo = join(scratch.root, 'todo.md');
  writeFileSync(agent, AGENT, { mode: 0o755 });
  writeFileSync(todo, '- [ ] Say hello\n- [ ] Say bye\n');
  return [todo, '--agent', `command:${agent}`, '--check', 'test -e base.txt'];
}
