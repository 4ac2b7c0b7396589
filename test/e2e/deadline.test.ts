import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch } from '../support/scratch.ts';

/** It works until a file lets it finish. */
const AGENT = `#!/bin/sh
cat > /dev/null
echo half > work.txt
while [ ! -e "$HOME/finish" ]; do sleep 0.2; done
echo whole > work.txt
`;

describe('a run with a deadline', { timeout: 120_000 }, () => {
  it('ends at it although its agent still works, and continues when it gets more time', async () => {
    await using project = await makeScratch({
      files: { 'agent.sh': AGENT, '.manyhands/config.yaml': 'checks: ["true"]\nsmallCalls: { use: rules }\n' },
    });
    const agent = ['--agent', 'command:./agent.sh', '--json'];
    const ended = await project.mh(['job', 'Work', '--max-hours', '0.002', ...agent]);
    const run = RunDocument.parse(ended.json);
    expect([ended.code, run.status], ended.stderr).toEqual([1, 'failed']);
    expect([run.reason, run.deadline]).toEqual([expect.stringContaining('deadline'), expect.any(String)]);
    expect(run.tasks[0]?.diagnosis?.nextStep ?? '').toContain('--until');
    const refused = await project.mh(['retry', run.run]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--until')]);
    writeFileSync(join(project.root, 'finish'), '');
    const more = await project.mh(['retry', run.run, '--until', '+1h', '--json']);
    expect([more.code, RunDocument.parse(more.json).status], more.stderr).toEqual([0, 'done']);
    expect(project.git('show', `mh/${run.run}:work.txt`)).toBe('whole');
    expect((await project.mh(['job', 'Work', '--until', '2020-01-01 10:00'])).code).toBe(2);
  });
});
