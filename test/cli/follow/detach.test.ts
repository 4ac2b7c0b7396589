import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testProgram } from '../cli-run.ts';

it('a background process that is killed before it reports a run is no defect of the program', async () => {
  const file = join(tmpdir(), 'there-is-no-such-folder', 'tasks.yaml');
  const program = testProgram({ engine: 'other', announced: '' });
  const { code, stderr } = await program.run('plan', 'A goal', '--output', file, '--detach');
  expect(code).toBe(3);
  expect(stderr).toMatch(/ended before it reported a run; manyhands ls shows whether there is one/);
  expect(stderr).toContain('manyhands resume');
});
