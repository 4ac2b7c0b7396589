import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { readRef, writeRef, writeRefs } from '../../../src/git/refs/mirror-refs.ts';
import { commit, folder, sandbox, shell } from '../sandbox.ts';

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

test('a transaction whose git was killed after its first ref is completed', async () => {
  const { mirror, base } = await sandbox();
  killInTransaction(1);
  const refs = ['a', 'b', 'c'].map((name) => `refs/manyhands/test/${name}`);
  expect(
    await writeRefs(
      mirror,
      refs.map((ref) => ({ ref, to: base, expected: null })),
    ),
  ).toBe(true);
  expect(await Promise.all(refs.map((ref) => readRef(mirror, ref)))).toEqual([base, base, base]);
});

test('of updates that were written together until git was killed, only the one that is refused fails', async () => {
  const { mirror, base, user, repository } = await sandbox();
  const [first, one, stale, other] = ['first', 'one', 'stale', 'other'].map((name) => `refs/manyhands/test/${name}`);
  const newer = commit(user, { x: 'x' });
  await refreshMirror(mirror, repository);
  shell(mirror.dir, 'update-ref', `${stale}`, newer);
  killInTransaction(2);
  const create = (ref: string | undefined) => writeRef(mirror, { ref: `${ref}`, to: base, expected: null });
  expect(await Promise.all([create(first), create(one), create(stale), create(other)])).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

/** Puts a git in front of PATH that writes only the first ref of its transaction of this number, and is killed, once. */
function killInTransaction(number: number): void {
  const dir = folder();
  const { PATH = '' } = process.env;
  const script = `#!/bin/sh
PATH='${PATH}'
case " $* " in *" update-ref --stdin "*) mkdir '${dir}/once' 2>/dev/null || exec git "$@" ;; *) exec git "$@" ;; esac
count=0
while read -r line; do
  case $line in
    start) count=$((count + 1)) first= lines= ;;
    commit)
      if [ $count = ${number} ]; then printf '%s\\n' "$first" | git "$@"; kill -9 $$; fi
      printf "$lines" | git "$@" && printf 'start: ok\\ncommit: ok\\n' ;;
    *) first=\${first:-$line} lines="$lines$line\\n" ;;
  esac
done
`;
  writeFileSync(join(dir, 'git'), script);
  chmodSync(join(dir, 'git'), 0o755);
  process.env.PATH = `${dir}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
}
