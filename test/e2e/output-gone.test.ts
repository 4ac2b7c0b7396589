import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { makeScratch } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho started > "$HOME/started"\nsleep 30\n';

it('ends an agent whose output can no longer be read, reports it, and leaves nothing that the command waits for', async () => {
  const settings = 'agents:\n  hand: { kind: command, command: ./agent.sh }\n';
  await using project = await makeScratch({
    files: { 'base.txt': 'x\n', 'agent.sh': AGENT, '.manyhands/config.yaml': settings },
  });
  const first = project.start(['job', 'Work', '--json']);
  await appears(join(project.root, 'started'));
  first.kill('SIGKILL');
  await first.done;
  const attempts = join(project.home, 'attempts');
  for (const name of readdirSync(attempts)) rmSync(join(attempts, name, 'stdout'), { force: true });
  const { code, json } = await project.mh(['resume', '--json']);
  const [run] = RunDocument.array().parse(json);
  expect([code, run?.status]).toEqual([4, 'blocked']);
  expect(await project.leftovers()).toEqual([]);
});
