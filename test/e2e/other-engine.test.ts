import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratch } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\necho "$PATH" > path.txt\n';

it('says whose engine answers and what differs there, and runs nothing with the PATH of the requester', async () => {
  await using project = await makeScratch({ files: { 'a.txt': 'a\n', 'agent.sh': AGENT } });
  const folder = join(project.root, 'own-programs');
  mkdirSync(folder);
  writeFileSync(join(folder, 'gemini'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(folder, 'gemini'), 0o755);
  const env = { PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH ?? ''}`, GEMINI_API_KEY: 'not-sent' };
  const engine = project.start(['serve', '--port', '0']);
  await expect.poll(() => existsSync(join(project.home, 'server', 'address.json')), { timeout: 30_000 }).toBe(true);

  const same = await project.mh(['doctor']);
  expect(same.stdout).toMatch(/✓ engine +process \d+, started .* answers and runs the agents: the same PATH as here/);
  const doctor = await project.mh(['doctor'], { env });
  expect(doctor.stdout).toContain(
    `gemini is not found there and ${join(folder, 'gemini')} here; its PATH lacks ${folder}`,
  );
  expect(doctor.stdout).toContain('it has no GEMINI_API_KEY');
  expect(doctor.stdout).toContain('manyhands stop, then manyhands serve');

  const job = await project.mh(['job', 'Do it', '--agent', 'command:./agent.sh'], { env });
  expect(job.stderr).toContain(`runs this with its own environment: gemini is not found there`);
  const branch = project.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/mh/');
  expect(project.git('show', `${branch}:path.txt`)).not.toContain(folder);
  engine.kill('SIGTERM');
  await engine.done;
});
