import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { pushBranch } from '../../../src/git/push/push.ts';
import { writeFiles } from '../../support/scratch.ts';
import { makeRunProject } from '../run-project.ts';

describe('starting a run', () => {
  it('pins its base, settings and roles, and records no value of a variable', async () => {
    await using project = await makeRunProject({});
    const { state } = await project.start(project.newEngine(), 'Do it');
    const { start } = project.stateOf(state.start.run);
    expect(start).toEqual(state.start);
    expect(start.base).toEqual({ branch: 'main', commit: project.git('rev-parse', 'main') });
    expect(start.config.agents.one?.env).toEqual({ ANTHROPIC_API_KEY: '' });
    expect(Object.keys(start.roles)).toEqual(expect.arrayContaining(['implement', 'review']));
  });

  it('reports that uncommitted changes are not part of it, and does not change them', async () => {
    await using project = await makeRunProject({});
    writeFiles(project.repo, {
      'a.txt': 'changed\n',
      '.manyhands/config.schema.json': '{}\n',
      '.worktreeinclude': 'used.txt\n',
      'mine.sh': '#!/bin/sh\n',
      'tasks.yaml': 'tasks: []\n',
    });
    chmodSync(join(project.repo, 'mine.sh'), 0o755);
    const { notes } = await project.start(project.newEngine(), 'Do it', {
      agents: ['command:./mine.sh'],
      workFile: join(project.repo, 'tasks.yaml'),
    });
    expect(notes.join()).toContain('Your 1 uncommitted change is not part of this run');
    expect(notes).toContain('Uncommitted settings in .manyhands/ are used as they are.');
    expect(project.git('status', '--porcelain')).toContain('M a.txt');
  });

  it("names the settings of the project's file that have no effect", async () => {
    const agent = { env: { ANTHROPIC_BASE_URL: 'http://gateway.example', ANTHROPIC_API_KEY: 'test-key' } };
    await using project = await makeRunProject({ agent, config: { notify: [] } });
    const { notes } = await project.start(project.newEngine(), 'Do it');
    expect(notes.filter((note) => note.includes('has no effect'))).toEqual([
      'notify in .manyhands/config.yaml has no effect: it sends data out. Your own settings can set it.',
      'agents.one.env.ANTHROPIC_BASE_URL in .manyhands/config.yaml has no effect: it decides what of this machine a program sees, or where it sends data. Your own settings can set it.',
    ]);
  });

  it('files it in its collection in the same transaction', async () => {
    await using project = await makeRunProject({});
    const { state } = await project.start(project.newEngine(), 'Do it', { collection: 'nightly' });
    const events = project.store.read(`project/${state.start.project.id}`);
    expect(events.map(({ type, data }) => [type, data])).toContainEqual([
      'collection.filed',
      { run: state.start.run, collection: 'nightly' },
    ]);
  });

  it.each([
    ['the base does not exist', { base: 'no-such-branch' }, 'BRANCH_UNKNOWN'],
    ['it must end in a pull request and there is no forge', { land: 'pr' as const }, 'FORGE_MISSING'],
  ])('is refused before anything is recorded when %s', async (_, options, code) => {
    await using project = await makeRunProject({});
    await expect(project.start(project.newEngine(), 'Do it', options)).rejects.toMatchObject({ code });
    expect(project.store.streams('run/')).toEqual([]);
  });

  it('is refused when it must land by merge and HEAD is detached', async () => {
    await using project = await makeRunProject({});
    project.git('checkout', '--quiet', '--detach');
    const starting = project.start(project.newEngine(), 'Do it', { land: 'merge' });
    const message = 'HEAD is detached, so there is no branch to land on. Switch to one: git switch main, or';
    await expect(starting).rejects.toThrow(message);
  });

  it('is refused where a branch named mh prevents the branch of the run', async () => {
    await using project = await makeRunProject({});
    project.git('branch', 'mh');
    await expect(project.start(project.newEngine(), 'Do it')).rejects.toMatchObject({ code: 'BRANCH_TAKEN' });
  });

  it('is rejected when no agent is usable', async () => {
    await using project = await makeRunProject({ agent: { command: './no-such-program' } });
    await expect(project.start(project.newEngine(), 'Do it')).rejects.toMatchObject({ code: 'AGENT_MISSING' });
  });
});

it('does not run filters of the repository configuration until the user trusts its file by its hash', async () => {
  await using project = await makeRunProject({ files: { '.gitattributes': '* filter=evil\n', 'a.txt': 'a\n' } });
  const ran = join(project.repo, '../filter-ran');
  const clean = `touch ${ran}; cat`;
  project.git('config', 'filter.evil.clean', clean);
  project.git('config', 'filter.evil.smudge', clean);
  writeFiles(project.repo, { 'a.txt': 'changed\n' });
  const {
    notes,
    project: { mirror, repository },
  } = await project.start(project.newEngine(), 'Do it');
  expect(existsSync(ran)).toBe(false);
  const hash = createHash('sha256')
    .update(readFileSync(join(project.repo, '.git/config')))
    .digest('hex');
  expect(notes.join()).toContain(`The filter evil of this repository's git configuration does not run`);
  expect(notes.join()).toContain(`trust: { .git/config: ${hash} }`);
  expect(notes.join()).toContain('Your 1 uncommitted change is not part of this run');

  const main = project.git('rev-parse', 'main');
  project.git('checkout', '--quiet', 'a.txt');
  const commit = project.commit('work', 'main', { 'b.txt': 'b\n' });
  await refreshMirror(mirror, repository);
  const push = { mirror, repository, commit, branch: 'main', expected: main, updateCheckout: true };
  rmSync(ran, { force: true });
  expect(await pushBranch(push)).toMatchObject({ kind: 'refused', reason: 'untrusted' });
  expect(existsSync(ran)).toBe(false);
  expect(await pushBranch({ ...push, trust: { '.git/config': hash } })).toEqual({ kind: 'pushed' });
  expect(existsSync(ran)).toBe(true);
});
