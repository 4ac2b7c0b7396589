import { expect, it } from 'vitest';
import { RunDocument } from '../../../src/schema/document.ts';
import { expectContainment } from '../../support/contained.ts';
import { makeScratch, writeFiles } from '../../support/scratch.ts';

const CONFIG = `
checks: ['true']
agents: { one: { kind: command, command: ../programs/agent.sh } }
limits: { attempts: 1, freeDiskMb: 0, freeMemoryMb: 0 }
`;

/** The default limits are 100 MB for a file and 50,000 files; `npm run bench` times saving. */
it.each([
  ['a file of 1 GiB is refused', 'truncate -s 1G big', 'big has 1024 MB, and limits.workFileMb is 100'],
  [
    '200,000 files are refused',
    'mkdir f; cd f; seq 200000 | xargs -n 5000 touch',
    '200000 files are changed, and limits.workFiles is 50000',
  ],
  ['a file just below the limit lands', 'head -c 99M /dev/urandom >big', undefined],
  ['files just below the limit land', 'mkdir f; cd f; seq 49900 | split -l 1 -a 4 - x', undefined],
])('work with %s, and its agent ran once', { timeout: 600_000 }, async (_, work, refusal) => {
  await using scratch = await makeScratch({ files: { '.manyhands/config.yaml': CONFIG } });
  writeFiles(scratch.root, { 'programs/agent.sh': `#!/bin/sh\ncat >/dev/null\n${work}\n` });
  const { json, stderr } = await scratch.mh(['job', 'Make files', '--json']);
  const { status, reason, tasks } = RunDocument.parse(json);
  expectContainment(scratch.isContained, { tasks });
  expect([status, tasks[0]?.attempts], stderr).toEqual([refusal === undefined ? 'done' : 'blocked', 1]);
  if (refusal !== undefined) expect(reason).toContain(refusal);
});
