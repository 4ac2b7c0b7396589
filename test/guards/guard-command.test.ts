import { describe, expect, it } from 'vitest';
import { namedPaths } from '../../src/guards/guard-command.ts';

describe('the files that a check runs', () => {
  it.each([
    ['test -s hello.txt', 'hello.txt'],
    ['[ -f hello.txt ] && npm test', 'hello.txt'],
    ['! test -e hello.txt', 'hello.txt'],
    ['grep -q hi hello.txt', 'hello.txt'],
    ['test -f a.txt; test -f hello.txt', 'hello.txt'],
  ])('are not those that %j only asks about', (text, path) => {
    expect(namedPaths([text])(path)).toBe(false);
  });

  it.each([
    ['sh check.sh', 'check.sh'],
    ['test -f check.sh && sh check.sh', 'check.sh'],
    ['./check.sh', 'check.sh'],
    ['test -x "$(./check.sh)"', 'check.sh'],
    ['grep . check.sh | sh', 'check.sh'],
    ['node check.mjs', 'check.mjs'],
    ['test -z `node check.mjs`', 'check.mjs'],
    ['wc -l < check.sh', 'check.sh'],
    ['cmp expected.txt out.txt', 'expected.txt'],
    ['grep -qf patterns.txt out.txt', 'patterns.txt'],
    ['grep -q -f patterns.txt out.txt', 'patterns.txt'],
    ['grep -q --file=patterns.txt out.txt', 'patterns.txt'],
    ['if test -f check.sh; then . ./check.sh; fi', 'check.sh'],
    ['eval test -f check.sh', 'check.sh'],
  ])('are those that %j starts or passes on', (text, path) => {
    expect(namedPaths([text])(path)).toBe(true);
  });
});
