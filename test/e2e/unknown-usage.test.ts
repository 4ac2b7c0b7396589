import { expect, test } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { UsageRow } from '../../src/schema/usage.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Its cost is invalid, so that its usage is unknown. */
const AGENT = `#!/bin/sh
cat >/dev/null
echo "$MANYHANDS_TASK $$" > "work-$$.txt"
echo '{"usage":{"costUsd":-1}}'
`;

function project(): Promise<Scratch> {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\n`;
  return makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
}

test('unknown usage without a budget is called unknown, never $0.00', async () => {
  await using scratch = await project();
  const { json } = await scratch.mh(['job', 'Work', '--agent', 'hand', '--json']);
  const { run, cost, unknownUsage, tasks } = RunDocument.parse(json);
  const unknown = { attempts: 1, uncharged: 1 };
  expect([cost, unknownUsage, tasks[0]?.unknownUsage]).toEqual([0, unknown, unknown]);

  const usage = await scratch.mh(['usage']);
  expect(usage.stdout).toContain('unknown  hand');
  expect(usage.stderr).toContain('1 attempt did not report usage; nothing is counted, because without a budget');
  const rows = UsageRow.array().parse((await scratch.mh(['usage', '--json'])).json);
  expect(rows).toMatchObject([{ attempts: 1, unknown: 1, uncharged: 1, cost: 0 }]);

  for (const command of [['show', run], ['show', run, '--compact'], ['ls'], ['report', run]]) {
    const { stdout } = await scratch.mh(command);
    expect(stdout).toMatch(/\bunknown\b/);
    expect([command, stdout]).toEqual([command, expect.not.stringContaining('$0.00')]);
  }
});

test('unknown usage with a budget is shown as at most its reservation', async () => {
  await using scratch = await project();
  const { json } = await scratch.mh(['job', 'Work', '--agent', 'hand', '--budget', '3', '--json']);
  const { run, cost, unknownUsage } = RunDocument.parse(json);
  expect([cost, unknownUsage]).toEqual([1, { attempts: 1, uncharged: 0 }]);
  expect((await scratch.mh(['show', run])).stdout).toContain('≤$1.00');
  expect((await scratch.mh(['usage'])).stderr).toContain('the reserved amount is counted instead');
});
