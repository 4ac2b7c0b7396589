import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { makeScratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** Lands A, then works on B until it is stopped. */
const AGENT = `#!/bin/sh
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"a","title":"A","description":"a","needs":[]},{"id":"b","title":"B","description":"b","needs":["a"]}]}'; exit 0 ;;
esac
case "$MANYHANDS_TASK" in *1.2) echo started > "$HOME/started"; exec sleep 600 ;; esac
echo a > a.txt
`;
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

it('ends a cancelled run whose repository is gone, and keeps what had landed', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
  const working = project.start(['do', 'A, then B', '--json']);
  await appears(join(project.root, 'started'));
  const [{ run }] = JSON.parse((await project.mh(['ls', '--json'])).stdout);
  renameSync(join(project.repo, '.git'), join(project.root, 'away.git'));
  await project.mh(['cancel', run]);
  const { code, json, stderr } = await working.done;
  expect([code, RunDocument.parse(json).status], stderr).toEqual([1, 'cancelled']);
  renameSync(join(project.root, 'away.git'), join(project.repo, '.git'));
  const saved = await project.mh(['salvage', '--json']);
  expect(saved.json, saved.stderr).toEqual(
    expect.arrayContaining([expect.objectContaining({ run, task: 'implement/1.1', landed: true })]),
  );
});

it.runIf(TESTS_ALL)(
  'keeps a workspace that cannot be saved because its repository is gone, and cleans the rest',
  async () => {
    const settings = `${SETTINGS}limits: { attempts: 1 }\n`;
    await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
    await project.mh(['job', 'A', '--check', 'false']);
    const clean = ['clean', '--all', '--older-than', '0'];
    const recent = await project.mh(['clean', '--older-than', '30d']);
    expect([recent.stdout, recent.stderr]).toEqual([
      expect.stringMatching(
        /^Kept, [\d.]+ [kM]?B:\n[\s\S]*workspace +[\d.]+ \w+ +run \w{8} ended recently; until \d{4}-\d\d-\d\d/,
      ),
      'There is nothing to remove.\n',
    ]);
    expect((await project.mh(clean)).stderr).toContain('manyhands clean --all --older-than 0 --apply');
    renameSync(join(project.repo, '.git'), join(project.root, 'away.git'));
    const refused = await project.mh([...clean, '--apply']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('What cannot be saved is kept')]);
    expect(readdirSync(join(project.home, 'attempts'))).toEqual([]);
    expect(readdirSync(join(project.home, 'workspaces'))).toHaveLength(2);
    renameSync(join(project.root, 'away.git'), join(project.repo, '.git'));
    expect((await project.mh([...clean, '--apply'])).code).toBe(0);
    expect(readdirSync(join(project.home, 'workspaces'))).toEqual([]);
  },
);

it('shows and restores all work when the repository was moved, and continues when it is linked', async () => {
  const settings = `${SETTINGS}limits: { attempts: 1 }\n`;
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  const { run } = RunDocument.parse((await project.mh(['job', 'A', '--check', 'test -e allowed', '--json'])).json);
  const before = [(await project.mh(['diff', run, 'job'])).stdout, (await project.mh(['salvage', run])).stdout];
  const [{ ref }] = JSON.parse((await project.mh(['salvage', run, '--json'])).stdout);
  const other = join(project.root, 'other');
  project.git('clone', '--quiet', project.repo, other);
  const moved = join(project.root, 'moved');
  renameSync(project.repo, moved);
  const elsewhere = (...args: string[]) => project.mh([...args, '--dir', project.root], { cwd: project.root });

  expect(before).toEqual([expect.stringContaining('a.txt'), expect.stringContaining(run)]);
  expect([(await elsewhere('diff', run, 'job')).stdout, (await elsewhere('salvage', run)).stdout]).toEqual(before);
  expect((await elsewhere('report', run)).code).toBe(0);
  const refused = await elsewhere('retry', run, '--json');
  expect([refused.code, refused.json]).toMatchObject([
    3,
    { error: { code: 'REPOSITORY_GONE', hint: expect.stringContaining('ln -s') } },
  ]);
  const nowhere = await elsewhere('salvage', 'restore', ref, '--json');
  expect(nowhere.json).toMatchObject({ error: { code: 'REPOSITORY_GONE', hint: expect.stringContaining('--to') } });
  expect((await elsewhere('salvage', 'restore', ref, '--to', other, '-b', 'rescued')).code).toBe(0);
  expect(execFileSync('git', ['show', 'rescued:a.txt'], { cwd: other, encoding: 'utf8' })).toBe('a\n');

  symlinkSync(moved, project.repo);
  const again = await elsewhere('retry', run, '--json');
  expect([again.code, again.json], again.stderr).toMatchObject([
    1,
    { run, status: 'failed', tasks: [{ attempts: 2 }] },
  ]);
});

it.runIf(TESTS_ALL)('cancels an interrupted run whose repository was deleted', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
  const working = project.start(['do', 'A, then B']);
  await appears(join(project.root, 'started'));
  working.kill('SIGKILL');
  await working.done;
  const [{ run }] = JSON.parse((await project.mh(['ls', '--json'])).stdout);
  renameSync(project.repo, join(project.root, 'moved'));
  const cwd = project.root;
  await project.mh(['cancel', run], { cwd });
  expect((await project.mh(['show', run, '--json'], { cwd })).json).toMatchObject({ status: 'cancelled' });
  expect((await project.mh(['salvage', run, '--json'], { cwd })).json).toMatchObject([{ run, landed: true }]);
  expect(await project.leftovers()).toEqual([]);
});
