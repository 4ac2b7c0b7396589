import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import { z as lazy } from '../src/lazy-zod.ts';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
/** With the types of zod, as the sources see it. */
const z = lazy as unknown as typeof zod;

describe('schemas that are built when they are used', () => {
  it('builds nothing while schemas are defined and derived', () => {
    let built = 0;
    const inner = {
      get id() {
        built += 1;
        return z.string();
      },
    };
    const outer = z.object({ list: z.array(z.object(inner)).default([]), name: z.string().min(1).optional() });
    const more = outer.extend({ kind: z.literal('more') }).describe('More');
    expect(Object.keys(more.shape)).toEqual(['list', 'name', 'kind']);
    expect(built).toBe(0);
    expect(more.parse({ kind: 'more' })).toEqual({ list: [], kind: 'more' });
    expect(() => more.parse({ kind: 'more', list: [{ id: 1 }] })).toThrow(zod.ZodError);
    expect(built).toBeGreaterThan(0);
  });

  it('is a schema of zod to whatever inspects it', () => {
    const text = z.string().trim();
    expect(text).toBeInstanceOf(zod.ZodType);
    expect('parse' in text).toBe(true);
    expect(zod.object({ text }).parse({ text: ' a ' })).toEqual({ text: 'a' });
    expect(zod.array(z.number().int()).safeParse([1.5]).success).toBe(false);
    const { parse } = z.number();
    expect(parse(1)).toBe(1);
  });

  it('keeps descriptions, defaults and recursion in JSON Schema', () => {
    const schemaBy = (maker: typeof zod) => {
      const node = maker.object({
        name: maker.string().describe('Its name').default('root'),
        get children() {
          return maker.array(node).optional();
        },
      });
      return node;
    };
    const json = (maker: typeof zod) => maker.toJSONSchema(schemaBy(maker).describe('A node'), { io: 'input' });
    expect(json(z)).toEqual(json(zod));
    const nested = { name: 'a', children: [{ name: 'b' }] };
    expect(schemaBy(z).parse({ children: [nested] })).toEqual({ name: 'root', children: [nested] });
  });

  it('builds of a union only the option that a value selects', () => {
    let built = 0;
    const counted = {
      kind: z.literal('b'),
      get id() {
        built += 1;
        return z.string();
      },
    };
    const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a'), n: z.number() }), z.object(counted)]);
    expect(union.parse({ kind: 'a', n: 1, more: 2 })).toEqual({ kind: 'a', n: 1 });
    expect(built).toBe(0);
    expect(union.safeParse({ kind: 'b', id: 1 }).error?.issues[0]?.path).toEqual(['id']);
    expect(built).toBeGreaterThan(0);
    expect(union.safeParse({ kind: 'c' }).error?.issues[0]?.code).toBe('invalid_union');
    expect(union.safeParse(null).success).toBe(false);
  });

  it('throws where a schema that cannot exist is used', () => {
    const twice = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('a'), more: z.string() }),
    ]);
    expect(() => twice.parse({ kind: 'a' })).toThrow(/duplicate/i);
  });

  it('has every part of zod that the sources use', () => {
    const used = globSync('**/*.ts', { cwd: SOURCES })
      .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
      .filter((text) => text.includes("import { z } from 'zod';"))
      .flatMap((text) => [...text.matchAll(/(?<![\w.])z\s*\.((?:coerce\.|iso\.)?\w+)\s*(?=\()|instanceof z\.(\w+)/g)])
      .map(([, called, compared]) => called ?? compared ?? '');
    const has = (path: string) => path.split('.').reduce<unknown>((at, key) => Object(at)[key], lazy) !== undefined;
    expect([...new Set(used)].filter((path) => !has(path))).toEqual([]);
    expect(used.length).toBeGreaterThan(1_000);
  });
});
