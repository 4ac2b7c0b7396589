import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import { z as lazy } from '../src/lazy-zod.ts';
import { isDefined, readSimply, UNDECIDED } from '../src/simple-schema.ts';

/** With the types of zod, as the sources see it. */
const z = lazy as unknown as typeof zod;

type Maker = (from: typeof zod) => zod.ZodType;

const plain: fc.Arbitrary<Maker> = fc.constantFrom<Maker[]>(
  (from) => from.string(),
  (from) => from.boolean(),
  (from) => from.number(),
  (from) => from.number().int().positive().max(3),
  (from) => from.number().nonnegative().min(1),
  (from) => from.enum(['a', 'b']),
  // For zod to decide.
  (from) => from.string().min(2),
  (from) => from.string().trim(),
  (from) => from.number().nullable(),
  (from) => from.literal('a'),
  (from) => from.coerce.number(),
);
const { schema } = fc.letrec<{ schema: Maker }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, plain, derived(tie('schema')), objects(tie('schema'))),
}));

function derived(inner: fc.Arbitrary<Maker>): fc.Arbitrary<Maker> {
  const ways = fc.constantFrom<((made: zod.ZodType, from: typeof zod) => zod.ZodType)[]>(
    (made) => made.optional(),
    (made) => made.default('a'),
    (made) => made.default([]),
    (made) => made.describe('described'),
    (made, from) => from.array(made),
  );
  return fc.tuple(inner, ways).map(
    ([make, way]) =>
      (from) =>
        way(make(from), from),
  );
}

function objects(inner: fc.Arbitrary<Maker>): fc.Arbitrary<Maker> {
  const shape = fc.dictionary(fc.constantFrom('x', 'y'), inner, { maxKeys: 2 });
  const kind = fc.constantFrom('object' as const, 'strictObject' as const, 'looseObject' as const);
  return fc.tuple(kind, shape, shape).map(([name, first, more]) => (from) => {
    const made = (members: Record<string, Maker>) =>
      Object.fromEntries(Object.entries(members).map(([key, make]) => [key, make(from)]));
    return from[name](made(first)).extend(made(more));
  });
}

const atoms = fc.constantFrom<unknown[]>('a', 'abc', '', 0, 1, 2.5, -1, 9, Number.NaN, true, null, undefined, () => 1);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    atoms,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe('values that are read without zod', () => {
  it('are what zod makes of them', () => {
    let decided = 0;
    fc.assert(
      fc.property(schema, value, (make, given) => {
        const definition: unknown = make(z);
        if (!isDefined(definition)) throw new Error('No definition was made');
        const read = readSimply(definition, given);
        if (read === UNDECIDED) return;
        decided += 1;
        expect(make(zod).safeParse(given)).toStrictEqual({ success: true, data: read });
      }),
      { numRuns: 15_000 },
    );
    expect(decided).toBeGreaterThan(200);
  });

  it('are the options and the input of a command', () => {
    const flags = z.object({ dir: z.string().optional(), json: z.boolean().default(false) });
    const input = flags.extend({ limit: z.number().int().positive().max(1000).default(20) });
    if (!isDefined(input)) throw new Error('No definition was made');
    expect(readSimply(input, { dir: '/a', other: 1 })).toStrictEqual({ dir: '/a', json: false, limit: 20 });
    expect(readSimply(input, { limit: 0 })).toBe(UNDECIDED);
    expect(input.safeParse({ limit: 0 }).error?.issues[0]?.path).toEqual(['limit']);
    expect(input.parse({ json: true })).toStrictEqual({ json: true, limit: 20 });
  });
});
