import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedGate } from '../../src/gates/changed.ts';
import { handoffGate } from '../../src/gates/handoff.ts';
import { definitionHash } from '../../src/gates/registry.ts';
import { GateSpec } from '../../src/schema/gate.ts';
import { gateContract } from '../contracts/gate.ts';
import { GateBench } from './gate-input.ts';

const schema = {
  type: 'object',
  required: ['verdict', 'findings'],
  additionalProperties: false,
  properties: { verdict: { enum: ['clean', 'findings'] }, findings: { type: 'array', items: { type: 'string' } } },
};
const handoff = { gate: 'handoff', name: 'handoff' } as const;
let bench: GateBench;

beforeAll(async () => {
  bench = await GateBench.make();
});
afterAll(() => bench[Symbol.asyncDispose]());

gateContract('changed', {
  gate: changedGate,
  spec: { gate: 'changed', name: 'changed' },
  passing: () => bench.input({}, { changed: [{ path: 'a', status: 'added' }] }),
  failing: () => bench.input({}, { changed: [] }),
});

gateContract('handoff', {
  gate: handoffGate,
  spec: handoff,
  passing: () => bench.input({}, { output: { verdict: 'clean', findings: [] }, outputSchema: schema }),
  failing: () => bench.input({}, { output: { verdict: 'perfect' }, outputSchema: schema }),
});

describe('the gate handoff', () => {
  it('names each place where the output is not as asked', async () => {
    const input = await bench.input({}, { output: { verdict: 'perfect', findings: [1] }, outputSchema: schema });
    const { output } = await handoffGate.check(handoff, input);
    expect(output).toContain('verdict');
    expect(output).toContain('findings[0]');
  });

  it('fails without an output, whatever the schema', async () => {
    expect((await handoffGate.check(handoff, await bench.input({}, { outputSchema: {} }))).verdict).toBe('fail');
    expect((await handoffGate.check(handoff, await bench.input())).verdict).toBe('fail');
  });

  it('says error for a schema that cannot be used, since that is not the fault of the work', async () => {
    for (const outputSchema of ['text', { $ref: 'https://example.com/schema' }]) {
      const input = await bench.input({}, { output: {}, outputSchema });
      expect((await handoffGate.check(handoff, input)).verdict).toBe('error');
    }
  });

  it('survives an output that is nested without end', async () => {
    let output: unknown = [];
    for (let depth = 0; depth < 100_000; depth += 1) output = [output];
    const nested = { $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' };
    const { verdict } = await handoffGate.check(handoff, await bench.input({}, { output, outputSchema: nested }));
    expect(verdict).toBe('fail');
  });
});

describe('a gate definition', () => {
  const spec = (run: string, timeoutMs = 1000) => GateSpec.parse({ gate: 'command', name: 'check', run, timeoutMs });
  const context = { tools: 'node 24' };

  it('has the same hash in whatever order it is written', () => {
    const turned = GateSpec.parse({ timeoutMs: 1000, run: 'npm test', name: 'check', gate: 'command' });
    expect(definitionHash(turned, context)).toBe(definitionHash(spec('npm test'), context));
  });

  it('has another hash with another command, limit, tool or overlay', () => {
    const overlay = { commit: 'c', paths: ['a'] };
    const hashes = [
      definitionHash(spec('npm test'), context),
      definitionHash(spec('npm run test'), context),
      definitionHash(spec('npm test', 2000), context),
      definitionHash(spec('npm test'), { tools: 'node 22' }),
      definitionHash(spec('npm test'), { ...context, overlay }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('tells an argument array from shell text with the same words', () => {
    const array = GateSpec.parse({ gate: 'command', name: 'check', run: ['npm test'], timeoutMs: 1000 });
    expect(definitionHash(array, context)).not.toBe(definitionHash(spec('npm test'), context));
  });
});
