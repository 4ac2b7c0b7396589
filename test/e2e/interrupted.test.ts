import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { RunSummary } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Works until the file `go` exists; reports its run in a file, numbered by the order of the agents. */
const AGENT = `#!/bin/sh
cat > /dev/null
echo "$MANYHANDS_RUN" > "$HOME/run"
if [ -e "$HOME/started-1" ]; then mv "$HOME/run" "$HOME/started-2"; else mv "$HOME/run" "$HOME/started-1"; fi
while [ ! -e "$HOME/go" ]; do sleep 0.1; done
echo made > "made-$MANYHANDS_RUN.txt"
`;
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

it('shows a run that no engine is running as interrupted, does not wait for it, and resumes it', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
  const first = project.start(['job', 'first']);
  const run = await started(project, 1);
  expect(await listed(project)).toEqual([{ run, status: 'running', carried: true }]);
  first.kill('SIGKILL');
  await first.done;
  expect(await listed(project)).toEqual([{ run, status: 'running', carried: false }]);
  const list = await project.mh(['ls']);
  expect([list.stdout, list.stderr]).toEqual([
    expect.stringContaining('◌ interrupted'),
    expect.stringContaining(`manyhands resume ${run}`),
  ]);
  expect((await project.mh(['show', run])).stdout).toMatch(/^◌ interrupted[\s\S]*manyhands resume/);
  const compact = await project.mh(['show', run, '--compact', '--json']);
  expect(compact.json).toMatchObject({ recommended: { action: 'resume', command: `manyhands resume ${run}` } });

  const second = project.start(['job', 'second']);
  const other = await started(project, 2);
  expect(await listed(project)).toEqual([
    { run: other, status: 'running', carried: true },
    { run, status: 'running', carried: false },
  ]);
  const waited = await project.mh(['wait', run, '--json']);
  expect([waited.code, waited.json]).toMatchObject([expect.any(Number), { error: { code: 'NEEDS_PERSON' } }]);

  const resumed = project.start(['resume', run]);
  await expect.poll(async () => (await listed(project)).find((one) => one.run === run)?.carried).toBe(true);
  writeFileSync(join(project.root, 'go'), '');
  expect([(await resumed.done).code, (await second.done).code]).toEqual([0, 0]);
  expect(await listed(project)).toEqual([
    { run: other, status: 'done', carried: false },
    { run, status: 'done', carried: false },
  ]);
});

async function listed(project: Scratch): Promise<Pick<RunSummary, 'run' | 'status' | 'carried'>[]> {
  const runs = z.array(RunSummary).parse((await project.mh(['ls', '--json'])).json);
  return runs.map(({ run, status, carried }) => ({ run, status, carried }));
}

/** The run whose agent was the first or the second to start. */
async function started(project: Scratch, count: 1 | 2): Promise<string> {
  await appears(join(project.root, `started-${count}`));
  return readFileSync(join(project.root, `started-${count}`), 'utf8').trim();
}
