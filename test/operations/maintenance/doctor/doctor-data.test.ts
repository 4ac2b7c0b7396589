import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openRun } from '../../../../src/engine/start/open-run.ts';
import { examineMirrors, examineTexts } from '../../../../src/operations/maintenance/doctor/doctor-data.ts';
import { makeRunProject } from '../../../engine/run-project.ts';

it('doctor verifies stored texts and mirrors, and damage of the store is reported as such', async () => {
  await using project = await makeRunProject({
    agent: { kind: 'command', command: '../agent.sh', env: {} },
    files: { '../agent.sh': '#!/bin/sh\ncat >/dev/null; echo 1 >made.txt\n' },
  });
  const { start, tip } = await project.run('Make a file');
  expect(examineTexts(project.store)).toMatchObject({ ok: true });
  expect(await examineMirrors(project.home, project.store)).toMatchObject({ ok: true });

  const dir = join(project.home.mirrors, `${start.project.id}.git`);
  const tree = project.git('--git-dir', dir, 'rev-parse', `${tip.commit}^{tree}`);
  rmSync(join(dir, 'objects', tree.slice(0, 2), tree.slice(2)));
  const incomplete = await examineMirrors(project.home, project.store);
  expect([incomplete.ok, incomplete.detail]).toEqual([false, expect.stringContaining(tree)]);
  await openRun(project.newEngine(), start.run);
  expect(await examineMirrors(project.home, project.store)).toMatchObject({ ok: true });
  rmSync(dir, { recursive: true });
  const missing = await examineMirrors(project.home, project.store);
  expect([missing.ok, missing.detail]).toEqual([false, expect.stringContaining(`is missing (run ${start.run})`)]);
  project.git('branch', '--delete', '--force', `mh/${start.run}`);
  project.git('reflog', 'expire', '--expire=now', '--all');
  project.git('gc', '--quiet', '--prune=now');
  await expect(openRun(project.newEngine(), start.run)).rejects.toMatchObject({
    code: 'DATA_DAMAGED',
    message: expect.stringContaining(`lost its branch (${tip.commit.slice(0, 10)})`),
  });

  const database = new DatabaseSync(project.home.database);
  database.exec("UPDATE blobs SET text = replace(text, 'e', '\u0001')");
  database.close();
  const damaged = examineTexts(project.store);
  expect([damaged.ok, damaged.detail]).toEqual([false, expect.stringMatching(/damaged: [0-9a-f]{12}/)]);
  await expect(openRun(project.newEngine(), start.run)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
});
