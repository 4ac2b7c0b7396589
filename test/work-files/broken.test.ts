import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { parseWork } from '../../src/work-files/parse-work.ts';
import { BROKEN, type BrokenFile } from './broken-files.ts';

const Details = z.object({
  mistakes: z
    .array(z.object({ line: z.number(), column: z.number(), code: z.string(), reason: z.string() }))
    .min(1)
    .max(1_000),
});
const ROLES = ['implement', 'plan', 'research', 'review', 'testing'];
const LONGEST_LINE = 600;

describe('a broken work file', () => {
  it('is tried in at least eighty ways', () => {
    expect(BROKEN.length).toBeGreaterThanOrEqual(80);
  });

  it.each(BROKEN)('is refused with its place and the reason: $title', (broken) => {
    const error = refusal(broken);
    expect(error.code).toBe('WORK_FILE_INVALID');
    expect(error.exitCode).toBe(2);
    const { mistakes } = Details.parse(error.details);
    const found = mistakes.some(
      ({ line, code, reason }) => line === broken.line && code === broken.code && broken.says.test(reason),
    );
    expect(found, `${broken.line} ${broken.code} ${broken.says} in ${JSON.stringify(mistakes, null, 1)}`).toBe(true);
    expect(error.message).toContain(`${broken.name}:${broken.line}:`);
    expect(Math.max(...error.message.split('\n').map(({ length }) => length))).toBeLessThan(LONGEST_LINE);
  });

  it.each([
    ['dag.toml', '[tasks.a]\nprompt = 3\n', 1],
    ['flow.yaml', 'schema_version: 1\nid: x\nnodes:\n  a:\n    role: 3\n    task: 4\n    outputs: 5\n', 3],
    ['tasks.jsonl', '{"target":3,"instruction":4}\n', 2],
  ])('reports a value of a wrong type once: %s', (name, text, count) => {
    const reasons = Details.parse(refusal({ name, text }).details).mistakes.map(({ reason }) => reason);
    expect(reasons.filter((reason) => !reason.startsWith('found'))).toEqual([]);
    expect(reasons).toHaveLength(count);
  });

  it('reports the errors of all lines of a list, also where one of them is no JSON', () => {
    const text = '{"target": "../x", "instruction": "Do"}\n{broken\n\n{"target": "a.py"}\n';
    const { mistakes } = Details.parse(refusal({ name: 'tasks.jsonl', text }).details);
    expect(mistakes.map(({ line, code }) => [line, code])).toEqual([
      [1, 'invalid_value'],
      [2, 'syntax_error'],
      [4, 'missing_field'],
    ]);
    const all = Details.parse(refusal({ name: 'tasks.jsonl', text: '{broken\n{also\n' }).details);
    expect(all.mistakes.map(({ line, code }) => [line, code])).toEqual([
      [1, 'syntax_error'],
      [2, 'syntax_error'],
    ]);
  });

  it('says in which line a row of a table begins, also where a cell has several lines', () => {
    const text =
      'target,instruction,priority\na.py,"first\nsecond",1\n\na.py,"one\n\ntwo",high\r\na.py,,2\na.py,Do,2\n';
    const { mistakes } = Details.parse(refusal({ name: 'tasks.csv', text }).details);
    expect(mistakes.map(({ line, code }) => [line, code])).toEqual([
      [5, 'invalid_value'],
      [8, 'missing_field'],
    ]);
  });

  it('reports all errors at once, the first twenty in the message', () => {
    const text = `tasks:\n${'  - id: "-x"\n'.repeat(15)}`;
    const error = refusal({ name: 'tasks.yaml', text });
    expect(error.message.split('\n')).toHaveLength(21);
    expect(error.message).toMatch(/and 25 more; manyhands check tasks\.yaml lists them$/);
    expect(Details.parse(error.details).mistakes).toHaveLength(45);
  });

  it.each([
    [
      'an entry with several errors',
      'dag.yaml',
      'tasks:\n  a: { prompt: P, timeout: soon, condition: "a b", depends_on: [b] }\n',
      ['a.condition', 'a.depends_on', 'a.timeout'],
    ],
    [
      'entries with errors and what they need',
      'tasks.yaml',
      'tasks:\n  - { id: a, description: D, needs: [x] }\n  - { id: b, title: T, description: D, needs: [y] }\n',
      ['[0].needs[0]', '[0].title', '[1].needs[0]'],
    ],
    [
      'each cycle',
      'x.json',
      JSON.stringify({
        tasks: [
          ['a', 'b'],
          ['b', 'a'],
          ['c', 'd'],
          ['d', 'c'],
        ].map(([id, need]) => ({ id, instruction: 'I', inputs: [need] })),
      }),
      ['[0].inputs', '[2].inputs'],
    ],
    [
      'an id and what its task needs',
      'tasks.yaml',
      'tasks:\n  - { id: a b, title: A, description: D, needs: [nope] }\n  - { title: B, description: D, needs: [neither] }\n',
      ['[0].id', '[0].needs[0]', '[1].id', '[1].needs[0]'],
    ],
    [
      'nodes and their gates',
      'flow.yaml',
      `nodes:\n  a: { role: review, task: T, timeout_seconds: soon, outputs: o }\n  g: { type: gate, needs: [a], pass_when: 'b.ok' }\n`,
      ['nodes.a.timeout_seconds', 'nodes.g.pass_when[0]'],
    ],
  ])('names every error: %s', (_, name, text, where) => {
    const found = z
      .object({ mistakes: z.array(z.object({ where: z.string() })) })
      .parse(refusal({ name, text }).details);
    const names = found.mistakes.map((error) => error.where.replace(/^tasks\.?/, '')).sort();
    expect(names.map((path) => path.replace(/depends_on\[0\]/, 'depends_on'))).toEqual(where);
  });
});

function refusal({ name, text }: Pick<BrokenFile, 'name' | 'text'>): AppError {
  try {
    parseWork(text, name, { roles: ROLES });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('It was accepted');
}
