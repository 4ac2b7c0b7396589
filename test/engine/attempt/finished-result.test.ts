import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepFinished, withFinished } from '../../../src/engine/attempt/finished-result.ts';
import { realWorld } from '../../../src/world.ts';

const USAGE = { usage: { kind: 'none' } } as const;

it('a result that an agent handed in counts where its program printed none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mh-finished-'));
  const printed = { ...USAGE, text: 'Done.', output: { a: 1 } };
  expect(await withFinished(folder, { ...USAGE, text: '' })).toEqual({ ...USAGE, text: '' });
  await keepFinished(folder, { result: { b: 2 }, summary: 'All of it' }, realWorld);
  expect(await withFinished(folder, printed)).toEqual(printed);
  expect(await withFinished(folder, { ...USAGE, text: '' })).toEqual({ ...USAGE, text: 'All of it', output: { b: 2 } });
  const failed = { ...USAGE, text: '', failure: { kind: 'crashed', message: 'It crashed' } } as const;
  expect(await withFinished(folder, failed)).toEqual(failed);
  writeFileSync(join(folder, 'finished.json'), '{ broken');
  expect(await withFinished(folder, { ...USAGE, text: 'x' })).toEqual({ ...USAGE, text: 'x' });
  rmSync(folder, { recursive: true });
});
