import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

type Cheat = { name: string; changes: string; command: string; files: Record<string, string>; steps: object[] };

/** Each of them makes its number smaller without making anything better. */
const CHEATS: readonly Cheat[] = [
  {
    name: 'changes a script that the command includes',
    changes: 'a/lib.sh',
    command: 'sh a/measure.sh',
    files: { 'a/measure.sh': '. a/lib.sh\ncount_open\n', 'a/lib.sh': 'count_open() { grep -c TODO notes.txt; }\n' },
    steps: [{ edit: { path: 'a/lib.sh', write: 'count_open() { echo 0; }\n' } }],
  },
  {
    name: 'changes a module that the command loads',
    changes: 'b/count.cjs',
    command: 'node b/measure.cjs',
    files: {
      'b/measure.cjs': "console.log(require('./count.cjs')());\n",
      'b/count.cjs': 'module.exports = () => 7;\n',
    },
    steps: [{ edit: { path: 'b/count.cjs', write: 'module.exports = () => 1;\n' } }],
  },
  {
    name: 'changes the program that the command starts',
    changes: 'c/measure',
    command: './c/measure',
    files: { 'c/measure': '#!/bin/sh\ngrep -c TODO notes.txt\n' },
    steps: [{ edit: { path: 'c/measure', write: '#!/bin/sh\necho 0\n' } }],
  },
  {
    name: 'extends the list of what the command leaves out',
    changes: 'd/ignore.txt',
    command: 'sh d/measure.sh',
    files: { 'd/measure.sh': 'grep -v -f d/ignore.txt notes.txt | wc -l\n', 'd/ignore.txt': 'nothing\n' },
    steps: [{ edit: { path: 'd/ignore.txt', write: 'nothing\nTODO\n' } }],
  },
  {
    name: 'removes the tests that fail',
    changes: 'e/two.test.sh',
    command: 'sh e/measure.sh',
    files: {
      'e/measure.sh': 'n=0; for t in e/*.test.sh; do sh "$t" || n=$((n+1)); done; echo $n\n',
      'e/one.test.sh': 'true\n',
      'e/two.test.sh': 'grep -q never notes.txt\n',
    },
    steps: [{ edit: { path: 'e/two.test.sh', delete: true } }],
  },
  {
    name: 'changes a program that the command finds on its path',
    changes: 'f/tally',
    command: 'cd f && PATH=.:$PATH measure-f',
    files: { 'f/measure-f': '#!/bin/sh\ntally\n', 'f/tally': '#!/bin/sh\necho 5\n' },
    steps: [{ edit: { path: 'f/tally', write: '#!/bin/sh\necho 1\n' } }],
  },
  {
    name: 'adds the script that the command runs, whose absence a shell reports with a number',
    changes: 'g/measure.sh',
    command: 'sh g/measure.sh',
    files: {},
    steps: [{ edit: { path: 'g/measure.sh', write: 'echo -1\n' } }],
  },
  {
    name: 'adds the module that the command runs, whose absence Node reports with a number',
    changes: 'h/measure.mjs',
    command: 'node h/measure.mjs',
    files: {},
    steps: [{ edit: { path: 'h/measure.mjs', write: 'console.log(-1);\n' } }],
  },
];

describe('an improvement that only changes how it is measured', () => {
  it.each(variants(CHEATS.slice(0, 1), CHEATS.slice(1)))(
    'is not kept: it $name',
    { timeout: 120_000 },
    async (cheat) => {
      const files = { 'notes.txt': 'TODO one\nTODO two\ndone\n', 'hello.txt': 'hello\n', ...cheat.files };
      await using scratch = await makeScratch({ files, check: 'test -e hello.txt' });
      const measure = { command: cheat.command, metric: 'number', better: 'lower' };
      const scenario = join(scratch.root, 'scenario.yaml');
      const spot = {
        title: 'Open points',
        category: 'other',
        description: 'Too many.',
        measure,
        value: 'high',
        effort: 'low',
      };
      writeFileSync(
        scenario,
        stringify({
          goal: 'Improve the project',
          agents: ['ada'],
          plays: [
            { task: 'discover/1', steps: [{ output: { summary: 'One.', spots: [spot] } }] },
            { task: 'improve/1.1', steps: cheat.steps },
            { task: 'discover/2', steps: [{ output: { summary: 'None.', spots: [] } }] },
          ],
        }),
      );
      const { json, stderr } = await scratch.mh(['improve', '--yes', '--scenario', scenario, '--json']);
      const run = RunDocument.parse(json);
      expect(run.progress?.points, stderr).toMatchObject([
        { id: '1.1', status: 'rejected', evidence: expect.stringContaining(cheat.changes) },
      ]);
      expect(scratch.git('branch', '--list', 'mh/*')).toBe('');
    },
  );
});
