import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { branchOf } from '../../../../src/dashboard/ui/form/blank-value.ts';
import { changesBetween, withChanges } from '../../../../src/dashboard/ui/form/changes.ts';
import { completed, entriesOf, fieldOf } from '../../../../src/dashboard/ui/form/field.ts';
import { durationText, parseDuration, parseLines, parseNumber } from '../../../../src/dashboard/ui/form/parse-input.ts';
import { findIssues, issueAt, parseServerIssues } from '../../../../src/dashboard/ui/form/validate.ts';
import { Config } from '../../../../src/schema/config.ts';
import { JobInput, StartRequest, TodoRequest } from '../../../../src/schema/request.ts';

const schemaOf = (schema: z.ZodType) => ({ ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) });
const job = fieldOf(schemaOf(JobInput));

describe('a form from a schema', () => {
  it('has a control for each type of setting', () => {
    const kinds = Object.fromEntries(entriesOf(schemaOf(JobInput)).map(({ key, field }) => [key, field.kind]));
    expect(kinds).toMatchObject({
      task: 'text',
      write: 'switch',
      after: 'list',
      priority: 'number',
      stop: 'group',
      retry: 'choice',
      context: 'map',
      notBefore: 'date-time',
    });
    const task = entriesOf(schemaOf(JobInput)).find(({ key }) => key === 'task');
    expect(task).toMatchObject({ isRequired: true, field: { isLong: true } });
  });

  it('needs raw JSON only for schemas', () => {
    const raw = (entry: { key: string; field: ReturnType<typeof fieldOf> }, path: string): string[] => {
      const at = `${path}.${entry.key}`;
      return entry.field.kind === 'json' ? [at] : insideOf(entry.field, at);
    };
    const insideOf = (field: ReturnType<typeof fieldOf>, at: string): string[] => {
      if (field.kind === 'group') return field.entries.flatMap((entry) => raw(entry, at));
      if (field.kind === 'list' || field.kind === 'map') return raw({ key: '*', field: field.item }, at);
      if (field.kind === 'union') return field.branches.flatMap((branch) => raw({ key: '|', field: branch.field }, at));
      return [];
    };
    expect(insideOf(fieldOf(schemaOf(Config)), 'config')).toEqual([]);
    const inputs = StartRequest.options.flatMap(({ shape }) => insideOf(fieldOf(schemaOf(shape.input)), ''));
    expect(inputs.filter((at) => !at.includes('outputSchema'))).toEqual([]);
  });

  it('finds missing and invalid values by the path that the server uses', () => {
    const found = findIssues(job, { priority: 99, template: 'Not a name', stop: { turns: 0 }, retry: 'sometimes' });
    expect([...found.keys()].sort()).toEqual(['priority', 'retry', 'stop.turns', 'task', 'template']);
    expect(found.get('priority')).toBe('Must be a whole number from -10 to 10.');
    expect(found.get('stop.turns')).toBe('Must be a whole number above 0.');
    expect(findIssues(job, { task: 'Mend it', priority: -10 }).size).toBe(0);
  });

  it('adds empty values that the schema requires', () => {
    const entries = entriesOf(schemaOf(TodoRequest));
    expect(entries.filter(({ isRequired }) => isRequired).map(({ key }) => key)).toEqual(['text']);
    expect(TodoRequest.safeParse(completed(entries, { text: '- Mend it' })).success).toBe(true);
  });

  it('finds the line of a list that a server issue names', () => {
    const issues = parseServerIssues(['input.scope.allow.1: must not begin with /', 'input: too much', 'no path here']);
    expect(issueAt(issues, 'input.scope.allow', true)).toBe('Line 2: must not begin with /');
    expect(issues.get('input')).toBe('too much');
    expect(issues.get('')).toBe('no path here');
  });

  it('finds the union branch of a value', () => {
    const field = fieldOf({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] });
    if (field.kind !== 'union') throw new Error('It is no union');
    expect(branchOf(field.branches, ['npm', 'test'])).toBe(1);
    expect(branchOf(field.branches, 'npm test')).toBe(0);
    expect(branchOf(field.branches, undefined)).toBe(-1);
  });
});

describe('parsing input', () => {
  it('keeps text that is not a number', () => {
    expect([
      parseNumber('1.5'),
      parseNumber(' 12 '),
      parseNumber('1.'),
      parseNumber('1e400'),
      parseNumber('abc'),
    ]).toEqual([1.5, 12, '1.', '1e400', 'abc']);
    expect(parseNumber('')).toBeUndefined();
  });

  it('parses durations', () => {
    expect(parseDuration('1h30m')).toBe(5_400_000);
    expect(parseDuration('soon')).toBe('soon');
    expect(durationText(5_400_000)).toBe('1h 30m');
    expect(parseDuration(durationText(5_400_000))).toBe(5_400_000);
  });

  it('splits lines and drops empty ones', () => {
    expect(parseLines(' npm test \n\n npm run lint\n')).toEqual(['npm test', 'npm run lint']);
  });
});

describe('the changes of a file', () => {
  const before = { limits: { agents: 8, checks: 2 }, checks: ['npm test'], agents: { fake: { kind: 'command' } } };

  it('are only the keys that differ', () => {
    const after = {
      limits: { agents: 9 },
      checks: ['npm test'],
      agents: { fake: { kind: 'command', model: 'x' } },
      land: 'pr',
    };
    const changes = changesBetween(before, after);
    expect(changes).toEqual([
      { path: ['limits', 'agents'], value: 9 },
      { path: ['limits', 'checks'] },
      { path: ['agents', 'fake', 'model'], value: 'x' },
      { path: ['land'], value: 'pr' },
    ]);
    expect(withChanges(before, changes)).toEqual(after);
  });

  it('can be applied to a file that changed concurrently', () => {
    const changes = changesBetween(before, { ...before, land: 'pr' });
    expect(withChanges({ limits: { agents: 3 } }, changes)).toEqual({ limits: { agents: 3 }, land: 'pr' });
  });

  it('are empty for equal values', () => {
    expect(changesBetween(before, structuredClone(before))).toEqual([]);
  });
});
