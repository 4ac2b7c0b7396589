import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { END_CASES, FAULTS, ROWS, WORK_CASES } from './cases.ts';
import { PROOFS } from './proofs.ts';
import { TABLE } from './table.ts';

const CASES = [...WORK_CASES, ...Object.keys(FAULTS), ...END_CASES].toSorted();

describe('the table of programs and cases', () => {
  it('has a cell for every program in every case', () => {
    expect(Object.keys(TABLE)).toEqual(Object.keys(ROWS));
    for (const [row, cells] of Object.entries(TABLE)) expect(Object.keys(cells).toSorted(), row).toEqual(CASES);
  });

  it('has a proof for every case', () => {
    expect(Object.keys(PROOFS).toSorted()).toEqual(CASES);
  });

  it('is proven for every program, each in a file of its own', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
    const proven = files.flatMap((name) => {
      const text = readFileSync(join(import.meta.dirname, name), 'utf8');
      return /^await describeRow\('(.+)'\);$/m.exec(text)?.[1] ?? [];
    });
    expect(proven.toSorted()).toEqual(Object.keys(ROWS).toSorted());
  });

  it('gives a reason if a program does not support a case', () => {
    const reasons = Object.values(TABLE).flatMap((cells) => Object.values(cells).flatMap(({ cannot }) => cannot ?? []));
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toMatch(/^\w+( \S+){3,}$/);
  });
});
