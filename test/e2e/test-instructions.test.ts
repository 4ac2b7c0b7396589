import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratch } from '../support/scratch.ts';

test('test instructions replace the commands in the prompt, and the test command still decides', async () => {
  await using scratch = await makeScratch({
    files: {
      '.manyhands/config.yaml':
        'project: { testCommand: "test -f src/b.txt || test -f src/a.txt", testInstructions: docs/testing.md, keyFiles: [src] }\n',
      'docs/testing.md': '# How to test\n\nLook at the log.\n',
      'src/a.txt': 'a\n',
      'agent.sh': '#!/bin/sh\ncp "$1" "$HOME/prompt.md"\necho b > src/c.txt\n',
    },
  });
  const args = ['job', 'Add c', '--write', '--agent', 'command:./agent.sh {prompt}', '--json'];
  const { code, json } = await scratch.mh(args);
  expect(code).toBe(0);
  expect(json).toMatchObject({ status: 'done' });
  const prompt = readFileSync(join(scratch.root, 'prompt.md'), 'utf8');
  expect(prompt).toContain('# How to test\n\nLook at the log.\n');
  expect(prompt).toContain('Look at these files first: src');
  expect(prompt).not.toContain('test -f src/b.txt');
});
