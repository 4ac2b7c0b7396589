import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWriteBackDue, writeBack, writeBackDuringRun } from '../../../src/engine/finish/write-back.ts';
import { makeLandingRun } from '../land/landing-run.ts';

const CONFIG = { progress: 'PROGRESS.md', checks: [] };

describe('the progress file of a project', () => {
  it('gets one line for each task that landed, however often it is written', async () => {
    await using run = await makeLandingRun({ config: CONFIG });
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.land('a');
    expect(await writeBack(run.engine, run.active)).toBeUndefined();
    run.active.writtenBack.content = undefined;
    expect(await writeBack(run.engine, run.active)).toBeUndefined();
    const text = readFileSync(join(run.project.repo, 'PROGRESS.md'), 'utf8');
    expect(text.match(new RegExp(`\\(${run.active.id} a\\)`, 'g'))).toHaveLength(1);
  });

  it('is due after each change of the run, and asking does not change the answer', async () => {
    await using run = await makeLandingRun({ config: CONFIG });
    expect([isWriteBackDue(run.active), isWriteBackDue(run.active)]).toEqual([true, true]);
    await writeBackDuringRun(run.engine, run.active);
    expect(isWriteBackDue(run.active)).toBe(false);
    await run.work('a', { files: { 'one.txt': '1\n' } });
    expect(isWriteBackDue(run.active)).toBe(true);
  });

  it('is never due for a run without files to write', async () => {
    await using run = await makeLandingRun({ config: { checks: [] } });
    await run.work('a', { files: { 'one.txt': '1\n' } });
    expect(isWriteBackDue(run.active)).toBe(false);
    expect(existsSync(join(run.project.repo, 'PROGRESS.md'))).toBe(false);
  });

  it('that cannot be written is reported at the end, and fails nothing', async () => {
    await using run = await makeLandingRun({ config: { progress: 'no/such/folder/PROGRESS.md', checks: [] } });
    await run.work('a', { files: { 'one.txt': '1\n' } });
    await run.land('a');
    await writeBackDuringRun(run.engine, run.active);
    expect(await writeBack(run.engine, run.active)).toContain('the progress file could not be updated');
    mkdirSync(join(run.project.repo, 'no/such/folder'), { recursive: true });
    await writeBackDuringRun(run.engine, run.active);
    run.active.writtenBack.content = undefined;
    expect(await writeBack(run.engine, run.active)).toBeUndefined();
  });
});
