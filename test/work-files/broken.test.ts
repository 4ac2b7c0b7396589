import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { parseWork } from '../../src/work-files/parse-work.ts';
import { BROKEN, type BrokenFile } from './broken-files.ts';

const Details = z.object({
  mistakes: z
    .array(z.object({ line: z.number(), column: z.number(), code: z.string(), reason: z.string() }))
    .min(1)
    .max(20),
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

  it('tells all mistakes at once, but no more than twenty of them', () => {
    const text = `tasks:\n${'  - id: "-x"\n'.repeat(15)}`;
    const error = refusal({ name: 'tasks.yaml', text });
    expect(error.message.split('\n')).toHaveLength(21);
    expect(error.message).toMatch(/and 25 more$/);
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
