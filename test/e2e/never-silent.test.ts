import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const LIMITS = { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 };

async function scratch(settings: object, files: Record<string, string> = {}): Promise<Scratch> {
  const config = JSON.stringify({ limits: LIMITS, ...settings });
  return makeScratch({ files: { 'note.md': 'A note.\n', '.manyhands/config.yaml': config, ...files } });
}

describe.concurrent('a run without money for its review', { timeout: 120_000 }, () => {
  it('is done and not reviewed, exits with 4 and is not landed automatically', async () => {
    const plays = ['1.1', '1.2', '1.3'].map((name) => ({
      task: `implement/${name}`,
      steps: [{ edit: { path: `${name}.md`, write: 'A note.\n' } }, { use: { costUsd: 0.45 } }],
    }));
    await using project = await scratch(
      { checks: ['test -f note.md'], budget: { attempt: 0.5 }, land: 'merge' },
      { 'scenario.yaml': JSON.stringify({ plays }) },
    );
    const { code, json, stderr } = await project.mh([
      ...['do', 'Write notes', '--scenario', 'scenario.yaml', '--max-parallel', '1', '--budget', '1.6', '--json'],
    ]);
    const run = RunDocument.parse(json, { error: () => stderr });
    expect([code, run.status, run.reviewed, run.landed]).toEqual([4, 'done', false, null]);
    expect(run.reason).toContain('not reviewed: review/1 was abandoned, out of budget');
    for (const command of ['show', 'report'])
      expect((await project.mh([command])).stdout).toContain('was abandoned, out of budget');
  });
});
