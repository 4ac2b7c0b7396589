import { expect, it } from 'vitest';
import { selectTests } from '../../../src/gates/test-results/select-tests.ts';

const gate = (run: string | string[]) => ({ gate: 'command' as const, name: 'test', run, timeoutMs: 1_000 });

it.each([
  ['npm test', 'vitest', 'npm test -- --reporter=verbose ./a.test.js'],
  ['pnpm test', 'jest', 'pnpm test --verbose ./a.test.js'],
  ['node --test', 'node:test', 'node --test ./a.test.js'],
  ['pytest -q', 'pytest', 'pytest -q -v ./a.test.js'],
  ['go test ./...', 'go test', 'go test ./... -v'],
  ['cargo test', 'cargo test', 'cargo test'],
  ['npm run lint && npm test', 'vitest', 'npm run lint && npm test'],
])('%s selects added tests of %s', (run, runner, expected) => {
  expect(selectTests(gate(run), [runner], ['a.test.js']).run).toBe(expected);
});

it('adds arguments to a list, and changes nothing where several runners report', () => {
  expect(selectTests(gate(['npx', 'mocha']), ['mocha'], ["it's.js"]).run).toEqual(['npx', 'mocha', "./it's.js"]);
  expect(selectTests(gate('make test'), ['pytest', 'vitest'], ['a.py']).run).toBe('make test');
});
