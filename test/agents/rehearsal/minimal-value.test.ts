import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { improvise, minimalValue } from '../../../src/agents/rehearsal/improvise.ts';

describe('the minimal value of a schema', () => {
  it.each([
    ['texts with bounds', z.object({ short: z.string().max(3), long: z.string().min(30) })],
    [
      'numbers with bounds',
      z.object({ a: z.number().min(5), b: z.int().positive(), c: z.number().max(-2), d: z.number() }),
    ],
    [
      'choices',
      z.object({ a: z.enum(['x', 'y']), b: z.literal(7), c: z.union([z.boolean(), z.string()]), d: z.null() }),
    ],
    ['lists', z.object({ none: z.array(z.string()), two: z.array(z.object({ a: z.string() })).min(2) })],
    ['nested objects', z.object({ a: z.object({ b: z.object({ c: z.boolean() }) }), maybe: z.string().optional() })],
    ['values that may be null', z.object({ a: z.string().nullable() })],
  ])('is found for %s', (_, schema) => {
    const value = minimalValue(z.toJSONSchema(schema), 'some text');
    expect(schema.safeParse(value).error).toBeUndefined();
  });

  it('is a string for an invalid schema', () => {
    expect(minimalValue(undefined, 'some text')).toBe('some text');
  });
});

it('a rehearsed participant hands over its point and whatever else is required', () => {
  const schema = z.object({
    points: z.array(z.unknown()),
    answers: z.array(z.unknown()),
    gaps: z.array(z.string()),
    risk: z.enum(['low', 'high']),
  });
  const attempt = {
    agent: 'x',
    task: 'role/a',
    attempt: 1,
    title: 'Examine it',
    role: 'security',
    goal: 'x',
    steps: 0,
  };
  const rest = { points: [], access: 'read' as const, allow: [], outputSchema: z.toJSONSchema(schema) };
  const [step] = improvise({ ...attempt, ...rest });
  expect(step).toMatchObject({ step: 'output', output: { points: [{ claim: 'A rehearsed point' }] } });
  expect(schema.safeParse(step?.step === 'output' ? step.output : undefined).error).toBeUndefined();
});
