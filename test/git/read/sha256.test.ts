import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/git/read/sha256.ts';

const expected = (text: string) => createHash('sha256').update(text).digest('hex');

test('is the hash that node:crypto computes, for texts of every length up to several blocks', () => {
  for (let length = 0; length < 300; length += 1) expect(sha256('x'.repeat(length))).toBe(expected('x'.repeat(length)));
});

test('is the hash that node:crypto computes, for any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => sha256(text) === expected(text)));
});
