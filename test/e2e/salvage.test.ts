import { expect, it } from 'vitest';
import { runAndReport } from '../hostile/hostile-run.ts';
import { makeScratch } from '../support/scratch.ts';

it('lists no saved work of attempts that changed nothing, however often they were repeated', async () => {
  const settings = 'limits: { attempts: 3, retryDelaySeconds: 0 }\n';
  const files = { 'a.md': 'a\n', 'agent.sh': '#!/bin/sh\necho "All done!"\n', '.manyhands/config.yaml': settings };
  await using project = await makeScratch({ files });
  const { run } = await runAndReport(project, 'job', 'Change it', '--agent', 'command:./agent.sh');
  expect(run.tasks[0]).toMatchObject({ status: 'failed', attempts: 3 });
  const { json } = await project.mh(['salvage', run.run, '--json']);
  expect(json).toEqual([]);
});
