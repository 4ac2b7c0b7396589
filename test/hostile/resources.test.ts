import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limitSupport } from '../../src/process/limit-groups.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeShop } from './hostile-run.ts';

const { problem } = limitSupport();
/** Without groups, the sandbox limits processes, and what is above its limit is ended when it is seen. */
const IS_SKIPPED = problem !== undefined && SANDBOX.missing;
/** With the sandbox alone, a shell ends when it may not fork. */
const BOMB =
  problem === undefined
    ? 'bomb() { bomb | bomb & }; bomb; sleep 300'
    : `exec perl -e 'for (;;) { my $child = fork; if (!defined $child) { sleep 1 } elsif (!$child) { sleep 300; exit } }'`;
const AGENT = [
  '#!/bin/sh',
  'case "$(cat "$MANYHANDS_PROMPT_FILE")" in',
  `  *"start processes"*) ${BOMB};;`,
  `  *"use memory"*) exec perl -e '$x = "x" x 900000000; sleep 60';;`,
  '  *) sleep 2; echo fine >fine.txt;;',
  'esac',
  '',
].join('\n');
const TASKS = {
  tasks: [
    { id: 'bomb', title: 'Bomb', description: 'start processes' },
    { id: 'hog', title: 'Hog', description: 'use memory' },
    { id: 'fine', title: 'Fine', description: 'write fine.txt' },
  ],
};

describe.skipIf(IS_SKIPPED)(IS_SKIPPED ? `attempts (skipped: ${problem})` : 'attempts', () => {
  test('that use up processes or memory end with that reason, and the others land', async () => {
    await using shop = await makeShop({
      check: 'true',
      limits: 'attempts: 1 }\nresources: { memoryMb: 128, processes: 80 }\n#',
      files: { 'tasks.yaml': JSON.stringify(TASKS) },
    });
    const program = join(shop.root, 'programs', 'agent.sh');
    await mkdir(join(shop.root, 'programs'));
    writeFileSync(program, AGENT, { mode: 0o755 });
    const env = problem === undefined ? {} : { MANYHANDS_BWRAP: SANDBOX.program };
    const finished = await shop.mh(['run', 'tasks.yaml', '--agent', `command:${program}`, '--json'], { env });
    const run = RunDocument.parse(finished.json);
    const statusOf = (name: string) => {
      const task = run.tasks.find((each) => each.name === name);
      return [task?.status, task?.reason];
    };
    expect(statusOf('bomb')).toEqual([
      'failed',
      expect.stringContaining('It started more than 80 processes and threads (resources.processes)'),
    ]);
    expect(statusOf('hog')).toEqual([
      'failed',
      expect.stringContaining('It used more than 128 MB of memory (resources.memoryMb)'),
    ]);
    expect(statusOf('fine')[0]).toBe('done');
    expect(await shop.leftovers()).toEqual([]);
  });
});
