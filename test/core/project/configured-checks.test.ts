import { describe, expect, it } from 'vitest';
import { checksOfRun } from '../../../src/core/project/configured-checks.ts';
import { Config } from '../../../src/schema/config.ts';

const found = (config: unknown, requested: string[] = []) => checksOfRun(Config.parse(config), requested);

describe("the project's test command", () => {
  it('is a check like the others', () => {
    expect(found({ checks: ['lint'], project: { testCommand: 'pytest' } })).toEqual([
      'lint',
      { name: 'test', run: 'pytest', timeoutSeconds: 600 },
    ]);
  });

  it('is not run twice, and takes no name that a check has', () => {
    const unit = { name: 'unit', run: 'pytest' };
    expect(found({ checks: [unit], project: { testCommand: 'pytest' } })).toMatchObject([unit]);
    expect(found({ checks: ['pytest'], project: { testCommand: 'pytest' } })).toEqual(['pytest']);
    const tox = { name: 'test', run: 'tox' };
    expect(found({ checks: [tox], project: { testCommand: 'pytest' } })).toMatchObject([tox, 'pytest']);
  });

  it('is none where nothing names one', () => {
    expect(found({})).toEqual([]);
  });
});

it('makes one check of a command that the settings and the request both name', () => {
  const unit = { name: 'unit', run: 'npm test' };
  expect(found({ checks: [unit, 'lint'] }, ['npm test ', 'lint', 'lint', 'tsc'])).toMatchObject([unit, 'lint', 'tsc']);
  expect(found({ checks: [{ run: ['npm', 'test'] }] }, ['npm test'])).toHaveLength(2);
});
