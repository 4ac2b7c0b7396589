import { describe, expect, it } from 'vitest';
import { testCheck } from '../../../src/engine/start/test-check.ts';
import { Config } from '../../../src/schema/config.ts';

const found = (config: unknown) => testCheck(Config.parse(config));

describe("the project's test command", () => {
  it('is a check like the others', () => {
    expect(found({ checks: ['lint'], project: { testCommand: 'pytest' } })).toEqual([
      { name: 'test', run: 'pytest', timeoutSeconds: 600 },
    ]);
  });

  it('is not run twice, and takes no name that a check has', () => {
    expect(found({ checks: [{ name: 'unit', run: 'pytest' }], project: { testCommand: 'pytest' } })).toEqual([]);
    expect(found({ checks: ['pytest'], project: { testCommand: 'pytest' } })).toEqual([]);
    expect(found({ checks: [{ name: 'test', run: 'tox' }], project: { testCommand: 'pytest' } })).toEqual(['pytest']);
  });

  it('is none where nothing names one', () => {
    expect(found({})).toEqual([]);
  });
});
