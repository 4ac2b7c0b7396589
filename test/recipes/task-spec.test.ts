import { expect, it } from 'vitest';
import { acceptanceOf } from '../../src/core/finish/acceptance.ts';
import { checksOf, taskSpec } from '../../src/recipes/task-spec.ts';
import { Config } from '../../src/schema/config.ts';
import { added, attemptEnded, attempted, evidence, given, landed, landing, saved, started } from '../support/given.ts';

const CHECKS = [{ name: 'secrets', run: 'gitleaks dir .' }, { name: 'test', run: 'npm test' }, 'scope'];

it('gives a check that has the name of another gate a name of its own', () => {
  expect(checksOf(Config.parse({ checks: CHECKS })).map(({ name, run }) => [name, run])).toEqual([
    ['secrets (check)', 'gitleaks dir .'],
    ['test', 'npm test'],
    ['scope (check)', 'scope'],
  ]);
});

it('keeps the evidence of a check apart from that of the inspection that it is named for', () => {
  const config = { checks: CHECKS };
  const task = { key: 'a', title: 'a', role: 'implement', access: 'write' as const, prompt: 'Do a' };
  const spec = taskSpec(Config.parse(config), task);
  const recorded = (gate: string, verdict: 'pass' | 'fail') => ({
    type: 'gate.ended' as const,
    data: { tasks: ['a'], commit: 'a-commit', evidence: evidence(gate, verdict) },
  });
  const { state } = given(
    started({}, config),
    added(spec),
    attempted('a'),
    attemptEnded('a', 1, { saved: saved('a') }),
    recorded('secrets', 'fail'),
    landing('a'),
    recorded(spec.gates.find((gate) => gate.gate === 'command')?.name ?? '', 'pass'),
    landed('a'),
  );
  const { criteria } = acceptanceOf(state, { branch: { commit: 'tip', tree: 'tree' }, base: null, changes: [] });
  expect(criteria.find(({ criterion }) => criterion === 'secrets')?.verdict).toBe('fail');
});
