import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Caller } from '../../../src/access/caller.ts';
import { openCaller } from '../../support/caller.ts';
import { makeScratch } from '../../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat >/dev/null\necho "$MANYHANDS_RUN" > "$MANYHANDS_RUN.txt"\n';
const CONFIG = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

async function startIn(caller: Caller, dir: string): Promise<string> {
  return (await caller.call('start-run', { recipe: 'job', input: { task: 'Do it' }, options: { dir } })).run;
}

it('follows only the runs of the folder’s project, existing and new ones', async () => {
  await using scratch = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': CONFIG } });
  const other = join(scratch.root, 'other');
  scratch.git('clone', '--quiet', '.', other);
  await using caller = await openCaller(scratch);
  const there = await startIn(caller, scratch.repo);
  const stop = new AbortController();
  const first: string[] = [];
  let came: string | undefined;
  for await (const item of caller.stream('watch-runs', { dir: other, limit: 1 }, { signal: stop.signal })) {
    if ('run' in item) first.push(item.run.run);
    if ('ready' in item) {
      expect(first).toEqual([]);
      await startIn(caller, scratch.repo);
      came = await startIn(caller, other);
    }
    if (first.length > 0) break;
  }
  stop.abort();
  expect([first, there === came]).toEqual([[came], false]);
});
