import { expect, test } from 'vitest';
import { readRef, writeRef } from '../../../src/git/refs/mirror-refs.ts';
import { sandbox } from '../sandbox.ts';

test('concurrent ref updates are all written, and a refused one does not block others', async () => {
  const { mirror, base } = await sandbox();
  const names = Array.from({ length: 12 }, (_, index) => `refs/manyhands/test/${index}`);
  await writeRef(mirror, { ref: 'refs/manyhands/test/5', to: base, expected: null });
  const written = await Promise.all(names.map((ref) => writeRef(mirror, { ref, to: base, expected: null })));
  expect(written).toEqual(names.map((ref) => ref !== 'refs/manyhands/test/5'));
  expect(await Promise.all(names.map((ref) => readRef(mirror, ref)))).toEqual(names.map(() => base));
});

test('of two concurrent updates of the same ref exactly one succeeds', async () => {
  const { mirror, base } = await sandbox();
  const ref = 'refs/manyhands/test/one';
  const others = ['a', 'b', 'c'].map((name) => `refs/manyhands/test/${name}`);
  const written = await Promise.all(
    [ref, ...others, ref].map((each) => writeRef(mirror, { ref: each, to: base, expected: null })),
  );
  expect(written).toEqual([true, true, true, true, false]);
});
