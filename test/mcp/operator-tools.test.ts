import { describe, expect, it } from 'vitest';
import { fitResult } from '../../src/mcp/fit-result.ts';
import { OperatorTools, operatorTools } from '../../src/mcp/operator-tools.ts';
import { realWorld, type World } from '../../src/world.ts';

const CLIENT = { name: 'codex', signal: new AbortController().signal };

/** A world whose alarms ring at once. */
const IMPATIENT: World = { ...realWorld, alarm: (_, ring) => realWorld.alarm(realWorld.now(), ring) };

function sourceOf(answer: (operation: string, input: object) => unknown, world: World = realWorld) {
  const call = async (operation: string, input: object) => answer(operation, input);
  return new OperatorTools(world).source({ role: 'operator', dir: '/here', call });
}

describe('the tools of an assistant', () => {
  it('have no union at the top of their schema, and fit into 90,000 characters', () => {
    const tools = operatorTools({ role: 'operator', dir: '/here' });
    for (const { name, inputSchema } of tools)
      for (const key of ['oneOf', 'anyOf', 'allOf', '$ref']) expect(inputSchema, name).not.toHaveProperty(key);
    expect(JSON.stringify(tools).length).toBeLessThan(90_000);
    const start = tools.find(({ name }) => name === 'start_run')?.inputSchema;
    expect(start).toMatchObject({ properties: { recipe: { enum: expect.arrayContaining(['goal', 'job']) } } });
    expect(JSON.stringify(start)).toContain('"title":"debate"');
  });

  it('only read for a viewer', () => {
    const tools = operatorTools({ role: 'viewer' });
    expect(tools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    expect(tools.map(({ name }) => name)).toContain('compact_run');
  });

  it('use the folder of the assistant where a call names neither a folder nor a run', async () => {
    const source = sourceOf((operation, input) => ({ operation, input }));
    const input = async (tool: string, given: Record<string, unknown>) =>
      (await source.call(tool, given, CLIENT)).value;
    const job = { recipe: 'job', input: { task: 'work' } };
    expect(await input('start_run', job)).toMatchObject({ input: { options: { dir: '/here' } } });
    expect(await input('start_run', { ...job, options: { dir: '/x' } })).toMatchObject({
      input: { options: { dir: '/x' } },
    });
    expect(await input('show_run', {})).toEqual({ operation: 'show-run', input: { dir: '/here' } });
    expect(await input('show_run', { run: 'a' })).toEqual({ operation: 'show-run', input: { run: 'a' } });
    expect(await input('list_runs', {})).toEqual({ operation: 'list-runs', input: {} });
  });

  it('return an id for a call that takes long, and its result later, once', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const source = sourceOf(() => promise, IMPATIENT);
    const { value, note } = await source.call('land_run', { run: 'a' }, CLIENT);
    expect(value).toEqual({ pending: true, call: expect.any(String) });
    expect(note).toContain('wait_for_call');
    const { call } = value as { call: string };
    expect((await source.call('wait_for_call', { call, waitSeconds: 0 }, CLIENT)).value).toEqual(value);
    resolve({ landed: true });
    await promise;
    const patient = await source.call('wait_for_call', { call, waitSeconds: 50 }, CLIENT);
    expect(patient.value).toEqual({ landed: true });
    await expect(source.call('wait_for_call', { call }, CLIENT)).rejects.toThrow('There is no call');
  });

  it('refuse a tool that does not exist, and an agent tool', async () => {
    const source = sourceOf(() => ({}));
    for (const tool of ['nothing', 'write_note', 'watch_run', 'run_state'])
      await expect(source.call(tool, {}, CLIENT)).rejects.toThrow(`There is no tool ${tool}`);
  });
});

describe('a long result', () => {
  const pages = (value: unknown) => {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { value: part, note = '' } = fitResult(value, cursor);
      expect(JSON.stringify(part).length).toBeLessThanOrEqual(24_000);
      found.push(part);
      cursor = /cursor "([^"]+)"/.exec(note)?.[1];
    } while (cursor !== undefined);
    return found;
  };

  it('comes in parts that together are the whole list, text or field', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'x'.repeat(50) }));
    expect(pages(list).flat()).toEqual(list);
    const text = 'ä😀"\n'.repeat(20_000);
    expect(pages(text).join('')).toBe(text);
    const parts = pages({ run: 'a', tasks: list }) as { run: string; tasks: unknown[] }[];
    expect(parts.flatMap(({ tasks }) => tasks)).toEqual(list);
    expect(parts.every(({ run }) => run === 'a')).toBe(true);
    const fields = Object.fromEntries(list.map((item) => [`f${item.index}`, item]));
    expect(Object.assign({}, ...pages({ fields }).map((part) => (part as { fields: object }).fields))).toEqual(fields);
  });

  it('is cut inside where one item, or what surrounds the list, is too long', () => {
    const huge = { name: 'a', log: 'x'.repeat(10_000_000), list: Array.from({ length: 1_000_000 }, () => 1) };
    expect(JSON.stringify(pages([huge]))).toContain('characters more');
    const wide = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 'y'.repeat(30_000)]));
    expect(pages(wide).length).toBeGreaterThan(1);
    expect(fitResult({ small: 1 }, undefined)).toEqual({ value: { small: 1 } });
  });

  it('is refused with a cursor that no response named', () => {
    expect(() => fitResult({ a: 1 }, '../x')).toThrow('cursor');
    expect(() => fitResult({ a: 1 }, 'b:0')).toThrow('cursor');
  });
});
