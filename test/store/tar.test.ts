import { describe, expect, it } from 'vitest';
import { packTar, unpackTar } from '../../src/store/tar.ts';

const ENTRIES = [
  { name: 'a/empty', bytes: Buffer.alloc(0) },
  { name: 'a/block', bytes: Buffer.alloc(512, 'x') },
  { name: 'a/ünïcode.md', bytes: Buffer.from('more than one block\n'.repeat(60)) },
];

describe('an archive', () => {
  it('returns what was packed', () => {
    expect(unpackTar(packTar(ENTRIES, 1_000))).toEqual(ENTRIES);
  });

  it('is refused when it is truncated at any byte', () => {
    const whole = packTar(ENTRIES, 1_000);
    for (let end = 0; end < whole.length - 512; end += 97)
      expect(() => unpackTar(whole.subarray(0, end))).toThrow(/damaged/);
  });

  it('is refused when a header was changed', () => {
    const changed = packTar(ENTRIES, 1_000);
    changed[3] = 0x7a;
    expect(() => unpackTar(changed)).toThrow(/sum/);
  });
});
