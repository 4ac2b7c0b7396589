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
  it('turns a to-do list into tasks, runs them, opens a pull request and has it reviewed', async () => {
    await using shop = await makeShop('github');
    const { code, json, stderr } = await shop.runJson(['yolo', ...prepared(shop), '--with-review', '--yes']);
    const [work, review, ...more] = z.array(RunDocument).parse(json);
    expect([code, work?.status, review?.status, more.length], stderr).toEqual([0, 'done', 'done', 0]);
    expect(work).toMatchObject({ recipe: 'todo', landed: { how: 'pr', branch: 'main' } });
    expect(work?.tasks.map(({ name }) => name)).toEqual([null, 'hello', 'bye']);
    const [pull] = shop.forge.state().pulls;
    expect(pull).toMatchObject({ head: `mh/${work?.run}`, draft: false });
    expect(pull?.approvals).toHaveLength(1);
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
