import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from '../scripts/steps/generated.mjs';
import { COMMANDS } from '../src/cli/commands/all.ts';

const ROOT = resolve(import.meta.dirname, '..');

test.each(generatedFiles())('$path is up to date; `npm run generate` writes it', ({ path, text }) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

test('the list of commands has what each command says of itself', async () => {
  for (const { load, ...listed } of COMMANDS) {
    const { define: _, ...command } = await load();
    expect(command).toEqual(listed);
  }
});
