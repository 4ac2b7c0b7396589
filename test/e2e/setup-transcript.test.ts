import { expect, it } from 'vitest';
import { z } from 'zod';
import { runAndReport } from '../hostile/hostile-run.ts';
import { makeScratch } from '../support/scratch.ts';

const Rows = z.array(z.looseObject({ kind: z.string(), text: z.string() }));

const SETTINGS = `workspace: { setup: ['echo prepared'] }
limits: { output: { maxBytes: 2000, onMax: truncate } }
`;

it('shows what was left out of the output of an attempt also after its set-up was shown', async () => {
  const agent = '#!/bin/sh\nseq 1 2000\necho done >done.txt\n';
  await using project = await makeScratch({ files: { 'agent.sh': agent, '.manyhands/config.yaml': SETTINGS } });
  const { run } = await runAndReport(project, 'job', 'Change it', '--agent', 'command:./agent.sh');
  const rows = Rows.parse((await project.mh(['logs', run.run, '--json'])).json);
  const kinds = rows.map(({ kind }) => kind);
  expect([kinds[0], kinds.includes('truncated')]).toEqual(['setup', true]);
});
