import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limitSupport } from '../../src/process/limit-groups.ts';
import { makeShop, runAndReport } from './hostile-run.ts';

const { problem } = limitSupport();
const AGENT = [
  '#!/bin/sh',
  'case "$(cat "$MANYHANDS_PROMPT_FILE")" in',
  '  *"start processes"*) bomb() { bomb | bomb & }; bomb; sleep 300;;',
  '  *"use memory"*) head -c 900000000 /dev/zero | tail >/dev/null; exit $?;;',
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

describe.skipIf(problem !== undefined)(problem === undefined ? 'attempts' : `attempts (skipped: ${problem})`, () => {
  test('that use up processes or memory end with that reason, and the others land', async () => {
    await using shop = await makeShop({
      check: 'true',
      limits: 'attempts: 1 }\nresources: { memoryMb: 128, processes: 80 }\n#',
      files: { 'tasks.yaml': JSON.stringify(TASKS) },
    });
    const program = join(shop.root, 'programs', 'agent.sh');
    await mkdir(join(shop.root, 'programs'));
    writeFileSync(program, AGENT, { mode: 0o755 });
    const { run } = await runAndReport(shop, 'run', 'tasks.yaml', '--agent', `command:${program}`);
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
